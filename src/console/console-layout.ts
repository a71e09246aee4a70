import type { PlainResponse } from '../call/exchange.ts'
import type { Model } from '../compile/model.ts'
import type { Assets } from '../pages/assets.ts'
import { pagePolicy } from '../pages/layout.ts'
import { html, type Markup } from '../pages/markup.ts'
import { prefixedHtml } from '../pages/prefixed.ts'
import type { ShownPage } from './console-page.ts'

export interface NavigationEntry {
  readonly label: string
  readonly url: string
  readonly isCurrent: boolean
}

/** What is around a page. */
export interface Frame {
  readonly navigation: readonly NavigationEntry[]
  /** The chosen account, with a way to another one; nothing where the API has one account. */
  readonly account: Markup | null
  /** Who is signed in, and the way out; null for who is not. */
  readonly operator: Markup | null
}

/** The frame of all pages of the console. */
export type ConsoleLayout = (page: ShownPage, frame: Frame) => string

export const createConsoleLayout =
  (model: Model, assets: Assets): ConsoleLayout =>
  ({ title, body, isWide = false }, { navigation, account, operator }) =>
    prefixedHtml(
      withShownTurns(
        html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Console · ${model.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${assets.url('page.css')}">
<link rel="stylesheet" href="${assets.url('console.css')}">
<link rel="icon" type="image/svg+xml" href="${assets.url('icon.svg')}">
<script type="module" src="${assets.url('console.js')}"></script>
</head>
<body class="console">
<a class="skip" href="#main">To the content</a>
<header class="top">
<a class="brand" href="/console">${model.title} <small>Console</small></a>
${navigation.length > 0 && html`<nav aria-label="Console">${navigation.map(entry)}</nav>`}
<div class="who">${account}${operator}</div>
</header>
<main id="main" class="prose${isWide && ' whole'}" tabindex="-1">${body}</main>
${navigation.length > 0 && html`<footer class="prose${isWide && ' whole'}">All times are UTC.</footer>`}
</body>
</html>
`.text,
      ),
      model.prefix,
    )

/**
 * U+202D and U+202E turn the direction of all that follows in a paragraph, also of words of ours: in texts of pages their names stand for
 * them. Values of inputs stay as they are.
 */
const withShownTurns = (page: string): string =>
  page.replaceAll(/<textarea\b.*?<\/textarea>|<[^>]*>|[\u202d\u202e]/gs, (found) =>
    found.startsWith('<') ? found : `[U+${found.charCodeAt(0).toString(16).toUpperCase()}]`,
  )

const entry = ({ label, url, isCurrent }: NavigationEntry): Markup =>
  html`<a href="${url}"${isCurrent && html` aria-current="page"`}>${label}</a>`

/** Nothing of the console is kept by browsers or proxies, framed, or loaded by pages of other origins. */
export const consoleHeaders = (): { [name: string]: string } => ({
  'Content-Security-Policy': pagePolicy(),
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // With no-referrer, browsers would leave the Origin out of forms that are posted.
  'Referrer-Policy': 'same-origin',
})

export const consoleResponse = (text: string, { status = 200, headers }: ShownPage): PlainResponse => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', ...consoleHeaders(), ...headers },
  body: text,
})
