import type { Model } from '../compile/model.ts'
import { problemExample, problemUri } from '../contract/openapi/problem-schemas.ts'
import type { ProblemKind } from '../problems.ts'
import type { Layout } from './layout.ts'
import { codeBlock, inline } from './markdown.ts'
import { html, table } from './markup.ts'

/** One kind of problem, for programs. */
export interface ProblemEntry {
  readonly type: string
  readonly url: string
  readonly status: number
  readonly title: string
  readonly meaning: string
  readonly fix: string
  readonly example: object
}

/** The entry of a type; null for one that is neither the engine's nor declared. */
export const problemEntry = ({ problems }: Model, type: string): ProblemEntry | null => {
  const kind = problems.get(type)
  return kind ? entryOf(type, kind) : null
}

export const problemEntries = ({ problems }: Model): readonly ProblemEntry[] =>
  [...problems].map(([type, kind]) => entryOf(type, kind))

const entryOf = (type: string, kind: ProblemKind): ProblemEntry => ({
  type: problemUri(type, kind),
  url: `/problems/${type}`,
  status: kind.status,
  title: kind.title,
  meaning: kind.meaning,
  fix: kind.fix,
  example: problemExample(type, kind),
})

export const problemPage = (layout: Layout, entry: ProblemEntry): string =>
  layout({
    title: entry.title,
    section: 'problems',
    body: html`<p class="crumbs"><a href="/problems">Problems</a></p>
<h1>${entry.title}</h1>
<p><span class="status">${entry.status}</span> <code>${entry.type}</code></p>
<h2>What happened</h2>
<p>${inline(entry.meaning)}</p>
<h2>How to fix it</h2>
<p>${inline(entry.fix)}</p>
<h2>What it looks like</h2>
${codeBlock(JSON.stringify(entry.example, null, 2))}
<p>Sent as <code>application/problem+json</code> (RFC 9457). The <code>instance</code> is the id of the request, which also stands in the header <code>X-Request-Id</code>: name it when you ask for help.</p>`,
  })

export const problemListPage = (layout: Layout, entries: readonly ProblemEntry[]): string =>
  layout({
    title: 'Problems',
    section: 'problems',
    body: html`<h1>Problems</h1>
<p>A call that is refused answers with <code>application/problem+json</code>. Its <code>type</code> is the URL of one of these pages.</p>
${table(
  'All problems',
  ['Status', 'What', 'Type'],
  entries
    .toSorted((a, b) => a.status - b.status)
    .map(
      (entry) =>
        html`<tr><td><span class="status">${entry.status}</span></td><td><a href="${entry.url}">${entry.title}</a></td><td><code>${entry.url.slice(10)}</code></td></tr>`,
    ),
)}`,
  })
