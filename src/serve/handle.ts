import { demandIncludeScopes, demandScope } from '../guard/scopes.ts'
import type { Caller } from '../request/caller.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import type { Include, Included } from '../request/include.ts'
import { readListQuery, readOneQuery, refuseQuery } from '../request/query.ts'
import type { Target } from '../request/route.ts'
import { documentResponse } from '../respond/document.ts'
import { asProblem, problemResponse } from '../respond/problem.ts'
import { create } from '../run/exactly-once.ts'
import { readIfMatch } from '../run/preconditions.ts'
import { readList, readOne } from '../run/read.ts'
import { remove } from '../run/remove.ts'
import type { Call, Outcome } from '../run/run.ts'
import { update } from '../run/update.ts'
import { allowedMethods, refuseMethod, refuseRetired, refuseUnacceptable } from './admit.ts'
import type { Engine } from './engine.ts'
import { readBody, readKeyed } from './payload.ts'
import { newWalk, type Walk } from './walk.ts'

/** A request's whole way, in the order in which it may be refused. Never throws. */
export async function handle(engine: Engine, request: PlainRequest): Promise<PlainResponse> {
  const walk = newWalk()
  let response: PlainResponse
  try {
    response = await answer(engine, request, walk)
  } catch (error) {
    const failure = asProblem(error)
    if (failure.status >= 500) engine.report(error, request)
    response = problemResponse(failure, request.id)
  }
  engine.conclude(request, response, walk)
  return response
}

async function answer(engine: Engine, request: PlainRequest, walk: Walk): Promise<PlainResponse> {
  const target = engine.router.find(request.path)
  if (!target) return (await engine.document(request)) ?? engine.missing(request.path)
  walk.target = target
  refuseRetired(engine, target)
  refuseMethod(target, request.method)
  if (request.method === 'OPTIONS') return options(target)
  const caller = await engine.authenticator.authenticate(request)
  walk.caller = caller
  demandScope(target.view, request.method, caller)
  const signals = await engine.rates.take(caller?.account ?? request.address, target.view)
  if (signals) {
    walk.headers['RateLimit-Policy'] = signals.policy
    walk.headers.RateLimit = signals.state
  }
  const call = { target, caller: caller ?? anonymous }
  const outcome = await run(engine, request, call, walk)
  return documentResponse(outcome, target, request)
}

/** Reading a public resource needs no account; what belongs to one is out of its reach. */
const anonymous: Caller = {
  account: '',
  consumer: { id: 'anonymous', name: 'anonymous', kind: 'external' },
  scopes: new Set(),
}

const options = (target: Target): PlainResponse => ({
  status: 204,
  headers: { Allow: allowedMethods(target).join(', ') },
  body: null,
})

function run(engine: Engine, request: PlainRequest, call: Call, walk: Walk): Promise<Outcome> {
  switch (request.method) {
    case 'POST':
      return post(engine, request, call, walk)
    case 'PUT':
    case 'PATCH':
      return change(engine, request, call, walk)
    case 'DELETE':
      refuseUnacceptable(request)
      refuseQuery(request.query)
      return remove(engine.runner, call, readIfMatch(header(request, 'if-match')))
    default:
      refuseUnacceptable(request)
      return call.target.id === null ? list(engine, request, call, walk) : one(engine, request, call, walk)
  }
}

function one(engine: Engine, request: PlainRequest, call: Call, walk: Walk): Promise<Outcome> {
  const include = readOneQuery(request.query, call.target.view, engine.model.limits.rowsPerRequest)
  allowInclude(include, walk)
  return readOne(engine.runner, call, include)
}

function list(engine: Engine, request: PlainRequest, call: Call, walk: Walk): Promise<Outcome> {
  const query = readListQuery(request.query, call.target.view, engine.model.limits.rowsPerRequest)
  allowInclude(query.include, walk)
  walk.uses = { include: query.include.canonical, ...query.uses, fields: [] }
  return readList(engine.runner, call, query)
}

/** An included row is read under the same rules as one fetched alone. */
function allowInclude(include: Include, walk: Walk): void {
  if (include.tree.length === 0) return
  walk.uses = { ...walk.uses, include: include.canonical }
  demandIncludeScopes(includedViews(include.tree), walk.caller)
}

const includedViews = (tree: readonly Included[]): ReturnType<Included['relation']['target']>[] =>
  tree.flatMap(({ relation, children }) => [relation.target(), ...includedViews(children)])

async function post(engine: Engine, request: PlainRequest, call: Call, walk: Walk): Promise<Outcome> {
  const body = await readBody(engine, request, call.target)
  refuseQuery(request.query)
  walk.uses = { ...walk.uses, fields: Object.keys(body) }
  return create(engine.runner, call, body, readKeyed(request, call.target, body))
}

async function change(engine: Engine, request: PlainRequest, call: Call, walk: Walk): Promise<Outcome> {
  const body = await readBody(engine, request, call.target)
  refuseQuery(request.query)
  walk.uses = { ...walk.uses, fields: Object.keys(body) }
  const ifMatch = readIfMatch(header(request, 'if-match'))
  return update(engine.runner, call, request.method === 'PUT' ? 'replace' : 'patch', body, ifMatch)
}

const header = (request: PlainRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
