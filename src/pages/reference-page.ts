import type { Version } from '../compile/model.ts'
import type { Assets } from './assets.ts'
import type { Layout } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import { referenceText } from './markdown-forms.ts'
import { html, type Markup } from './markup.ts'
import { type SwitchVersion, versionSwitch } from './version-switch.ts'

export interface ReferencePage {
  readonly layout: Layout
  readonly assets: Assets
  readonly version: Version
  readonly versions: readonly SwitchVersion[]
  /** The version's document, for readers without scripts. */
  readonly openapi: object
}

export const referencePage = (
  { layout, assets, version, versions, openapi }: ReferencePage,
  nonce: string,
): string =>
  layout({
    title: `Reference ${version.name}`,
    section: 'reference',
    wide: true,
    aside: versionSwitch(versions, version, ({ name }) => `/docs/${name}`),
    head: html`<meta property="csp-nonce" content="${nonce}">
<link rel="modulepreload" href="${assets.reference}">
<script type="module" src="${assets.url('reference.js')}"></script>
<script type="module" src="${assets.url('accessible.js')}"></script>`,
    body: html`${notice(version)}
<div id="reference" data-document="/${version.name}/openapi.json" data-renderer="${assets.reference}"><p class="loading">Loading the reference …</p></div>
<noscript><div class="prose">${renderMarkdown(referenceText(openapi, version))}</div></noscript>`,
  })

const notice = ({ name, deprecated, sunset, successor }: Version): Markup => {
  const guide = successor
    ? html`<a href="/docs/migrations/${name}-to-${successor.name}">the migration guide</a>`
    : null
  if (!deprecated)
    return successor
      ? html`<div class="notice" role="note">There is a newer version, <a href="/docs/${successor.name}">${successor.name}</a>: ${guide}.</div>`
      : html``
  const until = sunset
    ? html` and is served at least until <time datetime="${sunset.date}">${sunset.date}</time>`
    : ''
  const next = successor
    ? html` Move to <a href="/docs/${successor.name}">${successor.name}</a>: ${guide}.`
    : ''
  return html`<div class="notice" role="note"><strong>${name} is deprecated</strong> as of <time datetime="${deprecated.date}">${deprecated.date}</time>${until}.${next}</div>`
}
