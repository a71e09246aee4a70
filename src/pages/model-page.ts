import type { Version } from '../compile/model.ts'
import { movesIn } from '../compile/resources/states.ts'
import type { Layout } from './layout.ts'
import { framed, html, type Markup, table } from './markup.ts'
import { type Link, linksOf, relationsDiagram } from './relations-diagram.ts'
import { type StateMachine, stateMachinesOf, statesDiagram } from './states-diagram.ts'
import { type SwitchVersion, versionSwitch } from './version-switch.ts'

/** The page with diagrams of the model, and the same as text. */
export const modelPage = async (
  layout: Layout,
  version: Version,
  versions: readonly SwitchVersion[],
): Promise<string> => {
  const machines = stateMachinesOf(version)
  const drawn = await Promise.all(machines.map(async (one) => machineSection(one, await statesDiagram(one))))
  return layout({
    title: `Model ${version.name}`,
    section: 'model',
    aside: versionSwitch(versions, version, ({ name }) => `/docs/model/${name}`),
    body: html`<h1>The model of ${version.name}</h1>
<h2>Resources and relations</h2>
${framed('Diagram of resources and relations', await relationsDiagram(version))}
<p class="legend">A fork marks the side that has many; a circle, that there may be none. A line is named after the relation, and after its other direction where there is one. Dashed boxes are shared by all accounts; a question mark stands for a field that may be unset. Every resource also has <code>id</code>, <code>created_at</code> and <code>updated_at</code>.</p>
${linksTable(linksOf(version))}
${machines.length > 0 && html`<h2>States</h2>${drawn}`}`,
  })
}

const linksTable = (links: readonly Link[]): Markup =>
  html`<details><summary>The same in words</summary>${table(
    'Relations',
    ['Resource', 'belongs to', 'as', 'What'],
    links.map(
      ({ from, to, name, optional, description }) =>
        html`<tr><td>${from.name}</td><td>${to.name}</td><td><code>${name}</code>${optional && ' (optional)'}</td><td>${description}</td></tr>`,
    ),
  )}</details>`

const machineSection = ({ view, field, states }: StateMachine, drawing: Markup): Markup =>
  html`<h3><code>${view.name}.${field.name}</code></h3>
${field.description !== '' && html`<p>${field.description}</p>`}
${framed(`Diagram of the states of ${view.name}`, drawing)}
<details><summary>The same in words</summary><ul>
<li>A new row starts as <code>${states.initial}</code>.</li>
${Object.entries(movesIn(states)).map(
  ([from, to]) =>
    html`<li><code>${from}</code> can move to ${to.map((one, index) => html`${index > 0 && ' or '}<code>${one}</code>`)}.</li>`,
)}
</ul></details>`
