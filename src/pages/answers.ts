import type { Version } from '../compile/model.ts'
import { readDecisions } from '../lifecycle/decisions.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import { guidePage, guideText } from './guide-page.ts'
import { freshPage } from './layout.ts'
import { modelPage } from './model-page.ts'
import { preferred } from './negotiate.ts'
import {
  type ProblemEntry,
  problemEntries,
  problemEntry,
  problemListPage,
  problemPage,
} from './problem-pages.ts'
import { newNonce, referencePage } from './reference-page.ts'
import type { PageParts, Scene } from './scene.ts'
import { readUsage } from './usage.ts'
import { usageForm, usageSection } from './usage-section.ts'
import { versionsPage } from './versions-page.ts'

export const answerReference = (scene: Scene, version: Version): PlainResponse => {
  const { layout, assets } = scene
  const nonce = newNonce()
  const page = { layout, assets, version, versions: scene.served(), openapi: scene.openapi(version) }
  return freshPage(referencePage(page, nonce), { nonce })
}

export const answerOpenapi = async (
  scene: Scene,
  request: PlainRequest,
  version: Version,
): Promise<PlainResponse> => {
  const make = () => JSON.stringify(scene.openapi(version))
  return (await scene.document(`openapi ${version.name}`, 'application/json', make)).respond(request)
}

export const answerModel = async (
  scene: Scene,
  request: PlainRequest,
  version: Version,
): Promise<PlainResponse> => {
  const versions = scene.served()
  // The switch shows which versions are served and deprecated, which time changes.
  const state = versions.map((one) => `${one.version.name}:${one.deprecated}`).join()
  const page = await scene.page(`model ${version.name} ${state}`, () =>
    modelPage(scene.layout, version, versions),
  )
  return page.respond(request)
}

export const answerVersions = async (scene: Scene, request: PlainRequest): Promise<PlainResponse> => {
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
}

/** When each retired version was; the store is asked only where there is one. */
const retiredAt = async ({ model, store, retirement }: PageParts): Promise<ReadonlyMap<string, number>> => {
  if (!model.versions.some((version) => retirement.isRetired(version))) return new Map()
  const inForce = (await readDecisions(store)).filter((one) => one.withdrawnAt === null)
  return new Map(inForce.map(({ version, decidedAt }) => [version, decidedAt]))
}

export const answerGuide = async (
  scene: Scene,
  request: PlainRequest,
  name: string,
): Promise<PlainResponse | null> => {
  const text = guideText(scene.model, name)
  if (text === null) return null
  const type = preferred(request, ['text/html', 'text/markdown', 'text/plain'])
  const document =
    type === 'text/html'
      ? await scene.page(`guide ${name}`, () => guidePage(scene.layout, name, text))
      : await scene.document(`guide ${name}`, `${type}; charset=utf-8`, () => text)
  return document.respond(request)
}

export const answerProblems = async (
  scene: Scene,
  request: PlainRequest,
  type: string | undefined,
): Promise<PlainResponse | null> => {
  const entry = type === undefined ? null : problemEntry(scene.model, type)
  if (type !== undefined && entry === null) return null
  const asHtml = preferred(request, ['text/html', 'application/json']) === 'text/html'
  if (entry && entry.example === null) return ruleAnswer(scene, entry, asHtml)
  const key = `problem ${type ?? ''}`
  const { layout } = scene
  const document = asHtml
    ? await scene.page(key, () => (entry ? problemPage(layout, entry) : problemListPage(layout)))
    : await scene.document(key, 'application/json', () => JSON.stringify({ data: entry ?? problemEntries() }))
  return document.respond(request)
}

/** Any well-formed name has such a page, so none of them is kept. */
const ruleAnswer = ({ layout }: Scene, entry: ProblemEntry, asHtml: boolean): PlainResponse => {
  if (asHtml) return freshPage(problemPage(layout, entry))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache', Vary: 'Accept' }
  return { status: 200, headers, body: JSON.stringify({ data: entry }) }
}
