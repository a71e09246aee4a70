import type { Model } from '../compile/model.ts'
import type { Layout } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import { versionsTable, whatToExpect } from './markdown-forms.ts'
import { framed, html } from './markup.ts'
import { timeline } from './timeline.ts'
import type { VersionLife } from './version-lives.ts'

export interface VersionsPage {
  readonly layout: Layout
  readonly model: Model
  readonly now: number
  readonly lives: readonly VersionLife[]
  readonly retiredAt: ReadonlyMap<string, number>
}

/** The page with the dates of all versions, and the rules for them. */
export const versionsPage = ({ layout, model, now, lives, retiredAt }: VersionsPage): string => {
  const drawn = lives.map(({ version }) => ({ version, retiredAt: retiredAt.get(version.name) ?? null }))
  return layout({
    title: 'Versions',
    section: 'versions',
    body: html`<h1>Versions</h1>
${framed('Time line of the versions', timeline(drawn, now))}
<div class="dates">${renderMarkdown(versionsTable(lives))}</div>
${renderMarkdown(whatToExpect(model))}`,
  })
}
