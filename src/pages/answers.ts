import type { Version } from '../compile/model.ts'
import { readDecisions } from '../lifecycle/decisions.ts'
import type { PlainResponse } from '../request/exchange.ts'
import { guidePage, guideText } from './guide-page.ts'
import { indexDocument } from './indexes.ts'
import { freshPage } from './layout.ts'
import { modelPage } from './model-page.ts'
import type { Place } from './place.ts'
import { problemEntries, problemEntry, problemListPage, problemPage } from './problem-pages.ts'
import { newNonce, referencePage } from './reference-page.ts'
import type { PageParts, Scene } from './scene.ts'
import { readUsage } from './usage.ts'
import { usageForm, usageSection } from './usage-section.ts'
import { versionsPage } from './versions-page.ts'

/** `/` is the reference for whoever likes pages more, `/v2` an index alone. */
export const indexPlace = (scene: Scene, path: string): Place | null => {
  const { model, clock, retirement } = scene
  const index = indexDocument(path, model, clock.now(), retirement)
  if (!index) return null
  return {
    types: path === '/' ? ['application/json', 'text/html'] : ['application/json'],
    answer: (_, type) => (type === 'text/html' ? reference(scene, model.head) : index),
  }
}

export const referencePlace = (scene: Scene, version: Version): Place => ({
  types: ['text/html'],
  answer: () => reference(scene, version),
})

const reference = (scene: Scene, version: Version): PlainResponse => {
  const { layout, assets } = scene
  const nonce = newNonce()
  const page = { layout, assets, version, versions: scene.served(), openapi: scene.openapi(version) }
  return freshPage(referencePage(page, nonce), { nonce })
}

export const openapiPlace = (scene: Scene, version: Version): Place => ({
  types: ['application/json'],
  async answer(request) {
    const make = () => JSON.stringify(scene.openapi(version))
    return (await scene.document(`openapi ${version.name}`, 'application/json', make)).respond(request)
  },
})

export const modelPlace = (scene: Scene, version: Version): Place => ({
  types: ['text/html'],
  async answer(request) {
    const versions = scene.served()
    // The switch shows which versions are served and deprecated, which time changes.
    const state = versions.map((one) => `${one.version.name}:${one.deprecated}`).join()
    const make = () => modelPage(scene.layout, version, versions)
    return (await scene.page(`model ${version.name} ${state}`, make)).respond(request)
  },
})

export const versionsPlace = (scene: Scene): Place => ({
  types: ['text/html'],
  takesForm: true,
  async answer(request) {
    const { layout, model, clock, retirement } = scene
    const usage = await readUsage(scene, request)
    const refused = typeof usage === 'string'
    const text = versionsPage({
      layout,
      model,
      now: clock.now(),
      retirement,
      retiredAt: await retiredAt(scene),
      usage: refused || usage === null ? usageForm(usage) : usageSection(usage),
    })
    return freshPage(text, {
      status: refused ? 403 : 200,
      cacheControl: usage === null ? 'no-cache' : 'no-store',
    })
  },
})

/** When each retired version was; the store is asked only where there is one. */
const retiredAt = async ({ model, store, retirement }: PageParts): Promise<ReadonlyMap<string, number>> => {
  if (!model.versions.some((version) => retirement.isRetired(version))) return new Map()
  const inForce = (await readDecisions(store)).filter((one) => one.withdrawnAt === null)
  return new Map(inForce.map(({ version, decidedAt }) => [version, decidedAt]))
}

export const guidePlace = (scene: Scene, name: string): Place | null => {
  const text = guideText(scene.model, name)
  if (text === null) return null
  return {
    types: ['text/html', 'text/markdown', 'text/plain'],
    async answer(request, type) {
      const document =
        type === 'text/html'
          ? await scene.page(`guide ${name}`, () => guidePage(scene.layout, name, text))
          : await scene.document(`guide ${name}`, `${type}; charset=utf-8`, () => text)
      return document.respond(request)
    },
  }
}

export const problemsPlace = (scene: Scene, type: string | undefined): Place | null => {
  const { layout, model } = scene
  const entry = type === undefined ? null : problemEntry(model, type)
  if (type !== undefined && entry === null) return null
  const key = `problem ${type ?? ''}`
  return {
    types: ['text/html', 'application/json'],
    async answer(request, asked) {
      const document =
        asked === 'text/html'
          ? await scene.page(key, () =>
              entry ? problemPage(layout, entry) : problemListPage(layout, problemEntries(model)),
            )
          : await scene.document(key, 'application/json', () =>
              JSON.stringify({ data: entry ?? problemEntries(model) }),
            )
      return document.respond(request)
    },
  }
}
