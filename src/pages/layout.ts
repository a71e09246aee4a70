import { randomBytes } from 'node:crypto'
import type { PlainResponse } from '../call/exchange.ts'
import type { Model } from '../compile/model.ts'
import type { Assets } from './assets.ts'
import { html, type Markup } from './markup.ts'
import { prefixedHtml } from './prefixed.ts'

export type Section = 'reference' | 'model' | 'versions' | 'problems'

export interface Page {
  readonly title: string
  readonly section: Section
  readonly body: Markup
  /** Beside the navigation: the switch between versions. */
  readonly aside?: Markup
  /** Uses the whole width, and has landmarks of its own. */
  readonly wide?: boolean
  readonly head?: Markup
}

/** The frame of all pages: style sheet and navigation. */
export type Layout = (page: Page) => string

export const createLayout =
  (model: Model, assets: Assets): Layout =>
  ({ title, section, body, aside, wide = false, head }) =>
    prefixedHtml(
      html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · ${model.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assets.url('page.css')}">
<link rel="icon" type="image/svg+xml" href="${assets.url('icon.svg')}">
${head}
</head>
<body${wide && html` class="wide"`}>
<a class="skip" href="#main">To the content</a>
<header class="top">
<a class="brand" href="/docs">${model.title}</a>
<nav aria-label="Documents">${sections.map(([name, label, url]) => tab(label, url, name === section))}</nav>
${aside}
</header>
${wide ? html`<div id="main" tabindex="-1">${body}</div>` : html`<main id="main" class="prose" tabindex="-1">${body}</main>`}
</body>
</html>
`.text,
      model.prefix,
    )

const sections: readonly (readonly [Section, string, string])[] = [
  ['reference', 'Reference', '/docs'],
  ['model', 'Model', '/docs/model'],
  ['versions', 'Versions', '/docs/versions'],
  ['problems', 'Problems', '/problems'],
]

const tab = (label: string, url: string, current: boolean): Markup =>
  html`<a href="${url}"${current ? html` aria-current="page"` : ''}>${label}</a>`

/** The response of a page that is made for one request. */
export const freshPage = (text: string, nonce?: string): PlainResponse => ({
  status: 200,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(nonce),
    'Cache-Control': 'no-cache',
    Vary: 'Accept',
  },
  body: text,
})

/** The renderer of the reference adds style elements to the page. The policy allows those that carry the page's nonce. */
export const newNonce = (): string => randomBytes(16).toString('base64')

/** The Content-Security-Policy of pages: our own files only, no inline script, no eval, no frames. */
export const pagePolicy = (styleNonce?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
