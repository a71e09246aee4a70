import type { Version } from '../compile/model.ts'
import type { Layout } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import { movesList, relationsTable } from './markdown-forms.ts'
import { framed, html, type Markup } from './markup.ts'
import { relationsDiagram } from './relations-diagram.ts'
import { type StateMachine, stateMachinesOf, statesDiagram } from './states-diagram.ts'
import { type SwitchVersion, versionSwitch } from './version-switch.ts'

/** The page with diagrams of the model, and the same as text. */
export const modelPage = async (
  layout: Layout,
  version: Version,
  versions: readonly SwitchVersion[],
): Promise<string> => {
  const machines = stateMachinesOf(version)
  const views = [...version.views.values()]
  const hasTotals = views.some(({ totals }) => totals !== null)
  // Of rows that code gives, the times are fields like others, which may be missing.
  const hasAnswers = views.some(({ resource }) => resource.answered !== null)
  const drawn = await Promise.all(machines.map(async (one) => machineSection(one, await statesDiagram(one))))
  return layout({
    title: `Model ${version.name}`,
    section: 'model',
    aside: versionSwitch(versions, version, ({ name }) => `/docs/model/${name}`),
    body: html`<h1>The model of ${version.name}</h1>
<h2>Resources and relations</h2>
${framed('Diagram of resources and relations', await relationsDiagram(version))}
<p class="legend">A fork marks the side that has many; a circle, that there may be none. A line is named after the relation, and after its other direction where there is one. Dashed boxes are shared by all accounts; a question mark stands for a field that may be unset. ${hasTotals && 'A dashed line leads from a resource to totals of its rows. '}${hasTotals ? 'Every other resource' : 'Every resource'} also has <code>id</code>${!hasAnswers && html`, <code>created_at</code> and <code>updated_at</code>`}.</p>
${inWords(relationsTable(version))}
${machines.length > 0 && html`<h2>States</h2>${drawn}`}`,
  })
}

/** What a picture shows, for who cannot see it. */
const inWords = (text: string): Markup =>
  html`<details><summary>The same in words</summary>${renderMarkdown(text)}</details>`

const machineSection = (machine: StateMachine, drawing: Markup): Markup => {
  const { view, field } = machine
  return html`<h3><code>${view.name}.${field.name}</code></h3>
${field.description !== '' && html`<p>${field.description}</p>`}
${framed(`Diagram of the states of ${view.name}`, drawing)}
${inWords(movesList(machine))}`
}
