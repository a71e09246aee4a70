import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { Version } from '../compile/model.ts'
import type { Maybe } from '../maybe.ts'
import { createPageContext, type PageContext, type PageParts } from './page-context.ts'
import { answerRoute, type PageRoute } from './page-route.ts'
import {
  guideRoute,
  indexRoute,
  llmsRoute,
  modelRoute,
  openapiRoute,
  problemsRoute,
  referenceRoute,
  versionsRoute,
} from './page-routes.ts'
import { compressed } from './static-document.ts'

export type Pages = (request: PlainRequest) => Maybe<PlainResponse | null>

/** Answers paths that are not resources: indexes, documents, pages and the files they load. Null for any other path. */
export const createPages = (parts: PageParts): Pages => {
  const context = createPageContext(parts)
  return async (request) => {
    const route = routeOf(context, request.path)
    return route && compressed(request, await answerRoute(route, request))
  }
}

const routeOf = (context: PageContext, path: string): PageRoute | null => {
  const [, first = '', ...rest] = path.split('/')
  if (path === '/llms.txt') return llmsRoute(context)
  if (first === 'assets') return fileRoute(context, path)
  if (first === 'docs' && rest.length <= 2) return docsRoute(context, rest[0], rest[1])
  if (first === 'problems' && rest.length <= 1) return problemsRoute(context, rest[0])
  const version = servedVersion(context, first)
  if (version && rest.join('/') === 'openapi.json') return openapiRoute(context, version)
  return indexRoute(context, path)
}

const fileRoute = ({ assets }: PageContext, path: string): PageRoute | null => {
  const file = assets.find(path)
  return file && { types: null, answer: (request) => file.respond(request) }
}

const docsRoute = (
  context: PageContext,
  name: string | undefined,
  more: string | undefined,
): PageRoute | null => {
  if (name === 'versions' && more === undefined) return versionsRoute(context)
  if (name === 'migrations') return more === undefined ? null : guideRoute(context, more)
  const version = servedVersion(context, name === 'model' ? more : name)
  if (name === 'model') return version && modelRoute(context, version)
  return version && more === undefined ? referenceRoute(context, version) : null
}

/** The newest version where no name is given; null for a version that is not served. */
const servedVersion = (context: PageContext, name: string | undefined): Version | null =>
  name === undefined
    ? context.model.head
    : (context.served().find(({ version }) => version.name === name)?.version ?? null)
