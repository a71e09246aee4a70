import type { Clock } from '../clock.ts'
import type { Model, Version } from '../compile/model.ts'
import { openapiOf } from '../contract/openapi/openapi.ts'
import type { Retirement } from '../lifecycle/retirement.ts'
import { statusOf } from '../lifecycle/status.ts'
import type { Maybe } from '../maybe.ts'
import type { Store } from '../store/store.ts'
import { type Assets, createAssets } from './assets.ts'
import { createLayout, type Layout, newNonce, pagePolicy } from './layout.ts'
import { prefixedDocument } from './prefixed.ts'
import { type StaticDocument, staticDocument } from './static-document.ts'
import type { SwitchVersion } from './version-switch.ts'

export interface PageParts {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly retirement: Retirement
}

/** Everything that pages are made from, and a cache of finished pages. */
export interface PageContext extends PageParts {
  readonly assets: Assets
  readonly layout: Layout
  openapi(version: Version): object
  /** The versions that are served, newest first. */
  served(): readonly SwitchVersion[]
  /** A document, cached after its first request. The cache never evicts, so there must be few keys. */
  document(key: string, type: string, make: () => Maybe<string>): Promise<StaticDocument>
  /** Like `document`, for an HTML page. */
  page(key: string, make: () => Maybe<string>): Promise<StaticDocument>
  /** A page with a nonce of its own for each request. All else of it is made once, because anybody may ask for it, and as often as they like. */
  pageWithNonce(key: string, nonce: string, make: (nonce: string) => string): string
}

export const createPageContext = (parts: PageParts): PageContext => {
  const { model, clock, retirement } = parts
  const assets = createAssets()
  const layout = createLayout(model, assets)
  const cached = createCache()
  const openapis = new Map<Version, object>()
  const withNonce = new Map<string, string>()
  const anyNonce = newNonce()
  return {
    ...parts,
    assets,
    layout,
    openapi(version) {
      const known = openapis.get(version) ?? documentOf(version, model)
      openapis.set(version, known)
      return known
    },
    served: () =>
      model.versions
        .filter((version) => !retirement.isRetired(version))
        .map((version) => {
          const status = statusOf(version, model, clock.now(), retirement.isRetired)
          return { version, deprecated: status === 'deprecated' || status === 'sunset' }
        }),
    document: (key, type, make) =>
      cached(`${type} ${key}`, async () =>
        staticDocument(await make(), { type, headers: { Vary: 'Accept' } }),
      ),
    page: (key, make) =>
      cached(`page ${key}`, async () =>
        staticDocument(await make(), { type: 'text/html; charset=utf-8', headers: pageHeaders }),
      ),
    pageWithNonce(key, nonce, make) {
      const text = withNonce.get(key) ?? make(anyNonce)
      withNonce.set(key, text)
      return text.replaceAll(anyNonce, nonce)
    },
  }
}

const documentOf = (version: Version, model: Model): object => ({
  ...prefixedDocument(openapiOf(version, model), model.prefix),
  servers: [{ url: `${model.prefix}/${version.name}` }],
})

const pageHeaders = { 'Content-Security-Policy': pagePolicy(), Vary: 'Accept' }

/** A failure is not cached: the next request tries again. */
const createCache = () => {
  const made = new Map<string, Promise<StaticDocument>>()
  return (key: string, make: () => Promise<StaticDocument>): Promise<StaticDocument> => {
    const known = made.get(key)
    if (known) return known
    const document = make()
    made.set(key, document)
    document.catch(() => made.delete(key))
    return document
  }
}
