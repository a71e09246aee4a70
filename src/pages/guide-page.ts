import { stepsBetween } from '../compile/change-kinds/step.ts'
import type { Model } from '../compile/model.ts'
import { guideOf } from '../contract/guide/guide.ts'
import type { Layout } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import { html, type Markup } from './markup.ts'

/** The Markdown of the guide named `v1-to-v2`; null where there is no such pair of versions. */
export const guideText = (model: Model, name: string): string | null => {
  const [from, to] = name.split('-to-').map((one) => model.versions.find((version) => version.name === one))
  return from && to && stepsBetween(from, to).length > 0 ? guideOf(from, to) : null
}

export const guidePage = (layout: Layout, name: string, markdown: string): string =>
  layout({
    title: `Moving from ${name.replace('-to-', ' to ')}`,
    section: 'versions',
    body: html`<p class="crumbs"><a href="/docs/versions">Versions</a></p>
<article class="guide">${besideEachOther(markdown)}</article>`,
  })

/** The answers of both versions, one after the other in the text of the guide. */
const answer = '(`GET [^\\n]+`\\n\\n```json\\n[^]*?\\n```)'
const bothAnswers = new RegExp(`^${answer}\\n\\n${answer}$`, 'm')

/** The guide with what both versions answer side by side, where there is room. */
const besideEachOther = (markdown: string): Markup => {
  const found = bothAnswers.exec(markdown)
  const [both, older, newer] = found ?? []
  if (!found || both === undefined || older === undefined || newer === undefined)
    return renderMarkdown(markdown)
  return html`${renderMarkdown(markdown.slice(0, found.index))}
<div class="before-after">
<div>${renderMarkdown(older)}</div>
<div>${renderMarkdown(newer)}</div>
</div>
${besideEachOther(markdown.slice(found.index + both.length))}`
}
