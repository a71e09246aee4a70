import type { Model, Version } from '../compile/model.ts'
import { guidePath } from '../lifecycle/facts.ts'
import { type Status, statusOf } from '../lifecycle/status.ts'
import type { Retirement } from '../lifecycle/use.ts'
import type { Layout } from './layout.ts'
import { framed, html, type Markup, table } from './markup.ts'
import { timeline } from './timeline.ts'

export interface VersionsPage {
  readonly layout: Layout
  readonly model: Model
  readonly now: number
  readonly retirement: Retirement
  readonly retiredAt: ReadonlyMap<string, number>
}

/** A version, with its status in words and the path of its migration guide. */
export interface VersionLife {
  readonly version: Version
  readonly status: string
  readonly guide: string | null
}

export const versionLives = (
  model: Model,
  now: number,
  retirement: Pick<Retirement, 'isRetired' | 'successorOf'>,
): readonly VersionLife[] =>
  model.versions.map((version) => ({
    version,
    status: words[statusOf(version, model, now, retirement.isRetired)],
    guide: guidePath(version, retirement.successorOf(version)),
  }))

/** The page with the dates of all versions, and the rules for them. */
export const versionsPage = (page: VersionsPage): string => {
  const { layout, model, now, retiredAt } = page
  const lives = model.versions.map((version) => ({ version, retiredAt: retiredAt.get(version.name) ?? null }))
  return layout({
    title: 'Versions',
    section: 'versions',
    body: html`<h1>Versions</h1>
${framed('Time line of the versions', timeline(lives, now))}
${table(
  'Dates of the versions',
  ['Version', 'Status', 'Published', 'Deprecated', 'Sunset', 'Guide'],
  model.versions.map((version) => versionRow(version, page)),
)}
${rules(model)}`,
  })
}

const versionRow = (version: Version, { model, now, retirement }: VersionsPage): Markup => {
  const status = statusOf(version, model, now, retirement.isRetired)
  const successor = retirement.successorOf(version)
  const guide = guidePath(version, successor)
  const name = status === 'retired' ? version.name : html`<a href="/docs/${version.name}">${version.name}</a>`
  return html`<tr><td>${name}</td><td>${words[status]}</td><td>${day(version.published)}</td><td>${day(version.deprecated)}</td><td>${day(version.sunset)}</td><td>${guide && html`<a href="${guide}">to ${successor?.name}</a>`}</td></tr>`
}

const words: { readonly [S in Status]: string } = {
  unpublished: 'not published yet',
  current: 'current',
  supported: 'supported',
  deprecated: 'deprecated',
  sunset: 'past its sunset',
  retired: 'retired',
}

const day = (value: { readonly date: string } | null): Markup =>
  value ? html`<time datetime="${value.date}">${value.date}</time>` : html`<span class="none">none</span>`

const rules = ({ unversioned }: Model): Markup => html`<h2>What to expect</h2>
<ul>
<li>A version only grows: new endpoints, new optional fields, new values where a field says that it is open. What is there stays as it is.</li>
<li>What would break a caller comes in a new version, beside the old one. Both work on the same rows.</li>
<li>A deprecated version is served for at least six calendar months more. Each of its responses says so, in the headers <code>Deprecation</code>, <code>Sunset</code> and <code>Link</code>.</li>
<li>After its sunset, and once nobody needs it any more, a version is retired: it answers <a href="/problems/version-retired">410</a>, with the way to its successor.</li>
<li>${
  unversioned
    ? html`Paths without a version are served by ${unversioned.name}. Name the version you were built for, and nothing changes under you.`
    : html`Every path names its version.`
}</li>
</ul>`
