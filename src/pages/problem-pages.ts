import type { Model } from '../compile/model.ts'
import { problemExample, problemUri } from '../contract/openapi/problem-schemas.ts'
import { type ProblemKind, type ProblemType, problemKinds } from '../problems.ts'
import type { Layout } from './layout.ts'
import { codeBlock, inline } from './markdown.ts'
import { html } from './markup.ts'

const types = Object.keys(problemKinds) as ProblemType[]
const kebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** One kind of problem, for programs; `null` members stand for what only the response itself can say. */
export interface ProblemEntry {
  readonly type: string
  readonly url: string
  readonly status: number | null
  readonly title: string
  readonly meaning: string
  readonly mend: string
  readonly example: object | null
}

/** The entry of a type; null for what can be none. */
export const problemEntry = (model: Model, type: string): ProblemEntry | null => {
  if (isKnown(type)) return knownEntry(type)
  const hasHooks = [...model.resources.values()].some(
    ({ hasHooks: one }) => one.create || one.update || one.delete,
  )
  return hasHooks && kebab.test(type) && type.length <= 80 ? ruleEntry(type) : null
}

export const problemEntries = (): readonly ProblemEntry[] => types.map(knownEntry)

const isKnown = (type: string): type is ProblemType => Object.hasOwn(problemKinds, type)

const knownEntry = (type: ProblemType): ProblemEntry => {
  const { status, title, meaning, mend }: ProblemKind = problemKinds[type]
  return {
    type: problemUri(type),
    url: `/problems/${type}`,
    status,
    title,
    meaning,
    mend,
    example: problemExample(type),
  }
}

/** Rules of hooks are code, so the engine knows their types only when they speak. */
const ruleEntry = (type: string): ProblemEntry => ({
  type: `/problems/${type}`,
  url: `/problems/${type}`,
  status: null,
  title: `A rule of this API: ${type.replaceAll('-', ' ')}`,
  meaning:
    'The call was understood and is valid in form, but breaks a rule that this API has beyond its schemas. Nothing was changed.',
  mend: 'The `title` and the `detail` of the response say which rule it is; `errors`, where it is there, names the field at fault. Correct that, and send the call again.',
  example: null,
})

export const problemPage = (layout: Layout, entry: ProblemEntry): string =>
  layout({
    title: entry.title,
    section: 'problems',
    body: html`<p class="crumbs"><a href="/problems">Problems</a></p>
<h1>${entry.title}</h1>
<p>${entry.status !== null && html`<span class="status">${entry.status}</span> `}<code>${entry.type}</code></p>
<h2>What happened</h2>
<p>${inline(entry.meaning)}</p>
<h2>How to mend it</h2>
<p>${inline(entry.mend)}</p>
${
  entry.example &&
  html`<h2>What it looks like</h2>
${codeBlock(JSON.stringify(entry.example, null, 2))}
<p>Sent as <code>application/problem+json</code> (RFC 9457). The <code>instance</code> is the id of the request, which also stands in the header <code>X-Request-Id</code>: name it when you ask for help.</p>`
}`,
  })

export const problemListPage = (layout: Layout): string =>
  layout({
    title: 'Problems',
    section: 'problems',
    body: html`<h1>Problems</h1>
<p>A call that is refused answers with <code>application/problem+json</code>. Its <code>type</code> is the URL of one of these pages.</p>
<div class="scroll" tabindex="0" role="region" aria-label="All problems"><table>
<thead><tr><th scope="col">Status</th><th scope="col">What</th><th scope="col">Type</th></tr></thead>
<tbody>${byStatus().map(
      (entry) =>
        html`<tr><td><span class="status">${entry.status}</span></td><td><a href="${entry.url}">${entry.title}</a></td><td><code>${entry.url.slice(10)}</code></td></tr>`,
    )}</tbody>
</table></div>
<p>Some resources have rules of their own; their problems are named after the rule, and their pages open the same way.</p>`,
  })

const byStatus = (): readonly ProblemEntry[] =>
  problemEntries().toSorted((a, b) => (a.status ?? 0) - (b.status ?? 0))
