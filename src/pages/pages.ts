import type { Maybe } from '../maybe.ts'
import { problem } from '../problems.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import {
  answerGuide,
  answerModel,
  answerOpenapi,
  answerProblems,
  answerReference,
  answerVersions,
} from './answers.ts'
import { compressed } from './document.ts'
import { indexDocument } from './indexes.ts'
import { preferred } from './negotiate.ts'
import { createScene, type PageParts, type Scene } from './scene.ts'

export type Pages = (request: PlainRequest) => Maybe<PlainResponse | null>

/** Everything that is no resource: indexes, documents, pages and the files they load. Null where the path is none of them. */
export const createPages = (parts: PageParts): Pages => {
  const scene = createScene(parts)
  return async (request) => {
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads && !sendsKey(request)) return refuse(scene, request)
    const response = await find(scene, request)
    return response && compressed(request, response)
  }
}

const sendsKey = ({ method, path }: PlainRequest): boolean => method === 'POST' && path === '/docs/versions'

const find = async (scene: Scene, request: PlainRequest): Promise<PlainResponse | null> => {
  const { model, clock, retirement } = scene
  const [, first = '', ...rest] = request.path.split('/')
  if (first === 'assets') return scene.assets.respond(request)
  if (first === 'docs' && rest.length <= 2) return findDocs(scene, request, rest[0], rest[1])
  if (first === 'problems' && rest.length <= 1) return answerProblems(scene, request, rest[0])
  const version = servedVersion(scene, first)
  if (version && rest.join('/') === 'openapi.json') return answerOpenapi(scene, request, version)
  const browses =
    request.path === '/' && preferred(request, ['application/json', 'text/html']) === 'text/html'
  return browses
    ? answerReference(scene, model.head)
    : indexDocument(request.path, model, clock.now(), retirement)
}

const findDocs = async (
  scene: Scene,
  request: PlainRequest,
  name: string | undefined,
  more: string | undefined,
): Promise<PlainResponse | null> => {
  if (name === 'versions' && more === undefined) return answerVersions(scene, request)
  if (name === 'migrations') return more === undefined ? null : answerGuide(scene, request, more)
  const version = servedVersion(scene, name === 'model' ? more : name)
  if (name === 'model') return version && answerModel(scene, request, version)
  return version && more === undefined ? answerReference(scene, version) : null
}

/** The newest where none is named; null for one that is not served. */
const servedVersion = (scene: Scene, name: string | undefined) =>
  name === undefined
    ? scene.model.head
    : (scene.served().find(({ version }) => version.name === name)?.version ?? null)

const refuse = async (scene: Scene, request: PlainRequest): Promise<PlainResponse | null> => {
  // Looked for as a GET, to learn whether there is anything to allow.
  const { path, query, address, id, origin } = request
  const readBody = () => new Uint8Array()
  const asGet = { method: 'GET', path, query, address, id, origin, headers: {}, readBody }
  if (!(await find(scene, asGet))) return null
  const allowed = path === '/docs/versions' ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS'
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allowed }, body: null }
  throw problem('method-not-allowed', {
    detail: `${request.method.slice(0, 20)} is not offered here. Use ${allowed}.`,
    headers: { Allow: allowed },
  })
}
