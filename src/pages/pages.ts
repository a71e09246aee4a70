import type { Version } from '../compile/model.ts'
import type { Maybe } from '../maybe.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import {
  guidePlace,
  indexPlace,
  modelPlace,
  openapiPlace,
  problemsPlace,
  referencePlace,
  versionsPlace,
} from './answers.ts'
import { compressed } from './document.ts'
import { answerAt, type Place } from './place.ts'
import { createScene, type PageParts, type Scene } from './scene.ts'

export type Pages = (request: PlainRequest) => Maybe<PlainResponse | null>

/** Everything that is no resource: indexes, documents, pages and the files they load. Null where the path is none of them. */
export const createPages = (parts: PageParts): Pages => {
  const scene = createScene(parts)
  return async (request) => {
    const place = placeOf(scene, request.path)
    return place && compressed(request, await answerAt(place, request))
  }
}

const placeOf = (scene: Scene, path: string): Place | null => {
  const [, first = '', ...rest] = path.split('/')
  if (first === 'assets') return filePlace(scene, path)
  if (first === 'docs' && rest.length <= 2) return docsPlace(scene, rest[0], rest[1])
  if (first === 'problems' && rest.length <= 1) return problemsPlace(scene, rest[0])
  const version = servedVersion(scene, first)
  if (version && rest.join('/') === 'openapi.json') return openapiPlace(scene, version)
  return indexPlace(scene, path)
}

const filePlace = ({ assets }: Scene, path: string): Place | null => {
  const file = assets.find(path)
  return file && { types: null, answer: (request) => file.respond(request) }
}

const docsPlace = (scene: Scene, name: string | undefined, more: string | undefined): Place | null => {
  if (name === 'versions' && more === undefined) return versionsPlace(scene)
  if (name === 'migrations') return more === undefined ? null : guidePlace(scene, more)
  const version = servedVersion(scene, name === 'model' ? more : name)
  if (name === 'model') return version && modelPlace(scene, version)
  return version && more === undefined ? referencePlace(scene, version) : null
}

/** The newest where none is named; null for one that is not served. */
const servedVersion = (scene: Scene, name: string | undefined): Version | null =>
  name === undefined
    ? scene.model.head
    : (scene.served().find(({ version }) => version.name === name)?.version ?? null)
