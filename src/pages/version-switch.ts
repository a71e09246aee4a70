import type { Version } from '../compile/model.ts'
import { html, type Markup } from './markup.ts'

export interface SwitchVersion {
  readonly version: Version
  readonly deprecated: boolean
}

/** Links to the same page of other versions; works without scripts. */
export const versionSwitch = (
  versions: readonly SwitchVersion[],
  current: Version,
  urlOf: (version: Version) => string,
): Markup =>
  html`<nav class="versions" aria-label="Versions">${versions.map(
    ({ version, deprecated }) =>
      html`<a href="${urlOf(version)}"${version === current ? html` aria-current="page"` : ''}>${version.name}${deprecated && html` <small>deprecated</small>`}</a>`,
  )}</nav>`
