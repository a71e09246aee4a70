import type { Caller } from '../call/caller.ts'
import type { PlainRequest } from '../call/exchange.ts'
import type { Target } from '../call/target.ts'
import type { Model, SubCollection, Version, View } from '../compile/model.ts'
import { collectionPaths } from '../compile/names/collection-paths.ts'
import type { Method } from '../declare/resource.ts'
import { credentialsInvalid } from '../guard/credentials-invalid.ts'
import { problem } from '../problems.ts'
import { preferredType } from '../request/accept.ts'
import type { Engine } from './engine.ts'

const collectionMethods: readonly Method[] = ['GET', 'POST']
const oneMethods: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE']

/** By what is offered: the methods of a view, or of a sub-collection of its rows. */
const allowed = new WeakMap<
  View | SubCollection,
  { readonly all: readonly string[]; readonly one: readonly string[] }
>()

export function allowedMethods(target: Target): readonly string[] {
  const place = target.sub ?? target.view
  let known = allowed.get(place)
  if (!known) {
    const { list, one } = target.view.reads
    known = {
      all: offered(place.methods, collectionMethods, list),
      one: offered(place.methods, oneMethods, one),
    }
    allowed.set(place, known)
  }
  return target.id === null ? known.all : known.one
}

const offered = (
  methods: ReadonlySet<Method>,
  possible: readonly Method[],
  reads: boolean,
): readonly string[] =>
  possible
    .filter((method) => methods.has(method) && (reads || method !== 'GET'))
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')

/** RFC 9110 §9.3.7: `OPTIONS *` asks for the methods of the server as a whole. */
export function serverMethods({ versions }: Model): readonly string[] {
  const views = versions.flatMap(({ viewOf }) => [...viewOf.values()])
  const writes = (['POST', ...oneMethods] as const).filter((method) => method !== 'GET')
  const some = writes.filter((method) => views.some(({ methods }) => methods.has(method)))
  return ['GET', 'HEAD', ...some, 'OPTIONS']
}

export function refuseMethod(target: Target, method: string): void {
  const methods = allowedMethods(target)
  if (methods.includes(method)) return
  throw problem('method-not-allowed', {
    detail: `${method.slice(0, 20)} is not offered here. Use ${methods.join(', ')}.${hintOfLinks(target)}`,
    headers: { Allow: methods.join(', ') },
  })
}

/** Below a many-to-many rows are only read: who writes there means to link them, which is done in the join. */
function hintOfLinks({ sub, version }: Target): string {
  const join = sub?.relation.join?.()
  const [place] = join ? collectionPaths(join) : []
  if (!join?.methods.has('POST') || place === undefined) return ''
  return ` Rows of ${join.name} make and end the links: POST ${version.prefix}/${version.name}${place}.`
}

export function refuseRetired(engine: Engine, target: Target): void {
  if (engine.retirement.isRetired(target.version)) throw versionRetired(target.version, engine)
}

export function versionRetired(version: Version, engine: Engine): Error {
  const { name } = version
  const successor = engine.retirement.successorOf(version)?.name ?? null
  return problem('version-retired', {
    detail: successor
      ? `Version ${name} has been retired. Its successor is ${successor}.`
      : `Version ${name} has been retired.`,
    members: successor
      ? {
          successor: `${version.prefix}/${successor}`,
          guide: `${version.prefix}/docs/migrations/${name}-to-${successor}`,
        }
      : {},
  })
}

/** Credentials of an account that is being deleted open nothing any more. */
export const refuseDeparting = ({ retirement }: Engine, { account }: Caller): void => {
  if (retirement.isDeparting(account))
    throw credentialsInvalid(`The account ${account} is being deleted. Nothing of it can be read or written.`)
}

/** Whether the events are asked for as server-sent events. */
export const wantsStream = (target: Target, request: PlainRequest): boolean =>
  isFollowed(target) && preferredType(request, ['application/json', eventStream]) === eventStream

const isFollowed = ({ view, id }: Target): boolean => view.serves === 'events' && id === null

const eventStream = 'text/event-stream'

/** Resources have no media type other than JSON; events are streamed as well. */
export function refuseUnacceptable(request: PlainRequest, target: Target): void {
  const accept = request.headers.accept
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return
  if (preferredType(request, ['application/json'])) return
  throw problem('not-acceptable', {
    detail: isFollowed(target)
      ? `Events are available as application/json or ${eventStream}.`
      : 'Resources are available as application/json only.',
  })
}
