import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { Version } from '../compile/model.ts'
import { readDecisions } from '../lifecycle/retirement-decisions.ts'
import { guidePage, guideText } from './guide-page.ts'
import { indexDocument } from './indexes.ts'
import { freshPage, newNonce } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import {
  llmsText,
  modelText,
  problemListText,
  problemText,
  referenceText,
  versionsText,
} from './markdown-forms.ts'
import { html } from './markup.ts'
import { modelPage } from './model-page.ts'
import type { PageContext, PageParts } from './page-context.ts'
import type { PageRoute } from './page-route.ts'
import { prefixedDocument, prefixedMarkdown } from './prefixed.ts'
import { problemEntries, problemEntry } from './problem-entries.ts'
import { referencePage } from './reference-page.ts'
import { versionLives } from './version-lives.ts'
import type { SwitchVersion } from './version-switch.ts'
import { versionsPage } from './versions-page.ts'

/** `/` is the API's index, or the reference for browsers. `/v2` is an index alone. */
export const indexRoute = (context: PageContext, path: string): PageRoute | null => {
  const { model, clock, retirement } = context
  const index = indexDocument(path, model, clock.now(), retirement)
  if (!index) return null
  return {
    types: path === '/' ? ['application/json', 'text/html', 'text/markdown'] : ['application/json'],
    answer(request, type) {
      if (type === 'text/markdown') return referenceInMarkdown(context, model.head, request)
      return type === 'text/html' ? reference(context, model.head) : index
    },
  }
}

export const referenceRoute = (context: PageContext, version: Version): PageRoute => ({
  types: ['text/html', 'text/markdown'],
  answer: (request, type) =>
    type === 'text/markdown' ? referenceInMarkdown(context, version, request) : reference(context, version),
})

const referenceInMarkdown = async (
  context: PageContext,
  version: Version,
  request: PlainRequest,
): Promise<PlainResponse> =>
  inMarkdown(context, `reference ${version.name}`, request, () =>
    referenceText(context.openapi(version), version),
  )

const inMarkdown = async (
  context: PageContext,
  key: string,
  request: PlainRequest,
  make: () => string,
): Promise<PlainResponse> =>
  (await context.document(key, markdown, () => prefixedMarkdown(make(), context.model.prefix))).respond(
    request,
  )

const markdown = 'text/markdown; charset=utf-8'

/** What programs that read find first. */
export const llmsRoute = (context: PageContext): PageRoute => ({
  types: ['text/plain', 'text/markdown'],
  async answer(request, type) {
    const served = context.served().map(({ version }) => version)
    const key = `llms ${served.map(({ name }) => name).join()}`
    const make = () => llmsText(context.model, served)
    return (await context.document(key, `${type}; charset=utf-8`, make)).respond(request)
  },
})

const reference = (context: PageContext, version: Version): PlainResponse => {
  const { layout, assets } = context
  const nonce = newNonce()
  const versions = context.served()
  const page = { layout, assets, version, versions, openapi: context.openapi(version) }
  const key = `${version.name} ${stateOf(versions)}`
  const text = context.pageWithNonce(key, nonce, (any) => referencePage(page, any))
  return freshPage(text, nonce)
}

/** The version switch depends on which versions are served and deprecated, so the keys of cached pages do too. */
const stateOf = (versions: readonly SwitchVersion[]): string =>
  versions.map((one) => `${one.version.name}:${one.deprecated}`).join()

export const openapiRoute = (context: PageContext, version: Version): PageRoute => ({
  types: ['application/json'],
  async answer(request) {
    const make = () => JSON.stringify(context.openapi(version))
    return (await context.document(`openapi ${version.name}`, 'application/json', make)).respond(request)
  },
})

export const modelRoute = (context: PageContext, version: Version): PageRoute => ({
  types: ['text/html', 'text/markdown'],
  async answer(request, type) {
    if (type === 'text/markdown')
      return inMarkdown(context, `model ${version.name}`, request, () => modelText(version))
    const versions = context.served()
    const make = () => modelPage(context.layout, version, versions)
    return (await context.page(`model ${version.name} ${stateOf(versions)}`, make)).respond(request)
  },
})

export const versionsRoute = (context: PageContext): PageRoute => ({
  types: ['text/html', 'text/markdown'],
  async answer(_, type) {
    const { layout, model, clock, retirement } = context
    const now = clock.now()
    const lives = versionLives(model, now, retirement)
    if (type === 'text/markdown')
      return {
        status: 200,
        headers: { 'Content-Type': markdown, 'Cache-Control': 'no-cache', Vary: 'Accept' },
        body: prefixedMarkdown(versionsText(model, lives), model.prefix),
      }
    const page = { layout, model, now, lives, retiredAt: await retiredAt(context) }
    return freshPage(versionsPage(page))
  },
})

/** When each retired version was retired. Without retired versions, the store is not read. */
const retiredAt = async ({ model, store, retirement }: PageParts): Promise<ReadonlyMap<string, number>> => {
  if (!model.versions.some((version) => retirement.isRetired(version))) return new Map()
  const inForce = (await readDecisions(store)).filter((one) => one.withdrawnAt === null)
  return new Map(inForce.map(({ version, decidedAt }) => [version, decidedAt]))
}

export const guideRoute = (context: PageContext, name: string): PageRoute | null => {
  const written = guideText(context.model, name)
  if (written === null) return null
  const text = prefixedMarkdown(written, context.model.prefix)
  return {
    types: ['text/html', 'text/markdown', 'text/plain'],
    async answer(request, type) {
      const document =
        type === 'text/html'
          ? await context.page(`guide ${name}`, () => guidePage(context.layout, name, text))
          : await context.document(`guide ${name}`, `${type}; charset=utf-8`, () => text)
      return document.respond(request)
    },
  }
}

export const problemsRoute = (context: PageContext, type: string | undefined): PageRoute | null => {
  const { layout, model } = context
  const entry = type === undefined ? null : problemEntry(model, type)
  if (type !== undefined && entry === null) return null
  const shown = prefixedDocument(entry ?? problemEntries(model), model.prefix)
  const text = () => ('title' in shown ? problemText(shown) : problemListText(shown))
  const key = `problem ${type ?? ''}`
  return {
    types: ['text/html', 'application/json', 'text/markdown'],
    async answer(request, asked) {
      if (asked === 'text/markdown') return inMarkdown(context, key, request, text)
      const document =
        asked === 'text/html'
          ? await context.page(key, () =>
              layout({
                title: entry?.title ?? 'Problems',
                section: 'problems',
                body: html`${entry && html`<p class="crumbs"><a href="/problems">Problems</a></p>`}${renderMarkdown(text())}`,
              }),
            )
          : await context.document(key, 'application/json', () => JSON.stringify({ data: shown }))
      return document.respond(request)
    },
  }
}
