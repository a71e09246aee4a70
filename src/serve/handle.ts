import { answerCreate } from '../answer/answer-create.ts'
import { answerList, answerOne, demandOwner } from '../answer/read-answers.ts'
import { readAuditEntry, readAuditList } from '../audit/read-audit.ts'
import type { Call, Outcome } from '../call/call.ts'
import { type Caller, noClaims } from '../call/caller.ts'
import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { OneQuery } from '../call/query.ts'
import type { Target } from '../call/target.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { EventScan } from '../events/event-scan.ts'
import { readEvent, readEventList } from '../events/read-events.ts'
import { audienceOf } from '../guard/audience.ts'
import { disclosedTo } from '../guard/disclosed.ts'
import { refusedList } from '../guard/rate.ts'
import { demandReadScopes, demandScope } from '../guard/scopes.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import type { ProblemType } from '../problems.ts'
import { readList, readOne } from '../read/read-rows.ts'
import { readTotals } from '../read/read-totals.ts'
import type { Reader } from '../read/reader.ts'
import { refuseUnknownFields, refuseUnknownInList, refuseUnknownTo } from '../request/field-scopes.ts'
import { readIfMatch } from '../request/if-match.ts'
import { readJsonObject } from '../request/json-body.ts'
import { refuseMediaType } from '../request/media-type.ts'
import { readListQuery, readOneQuery, refuseQuery } from '../request/read-query.ts'
import { isRowList, listed, rowListForm } from '../request/row-list.ts'
import { asProblem, problemResponse, storeMigrated } from '../respond/problem-response.ts'
import { successResponse } from '../respond/success-response.ts'
import { StoreError } from '../store/store.ts'
import { create } from '../write/exactly-once.ts'
import { readKeyed } from '../write/idempotency.ts'
import { remove } from '../write/remove.ts'
import { update } from '../write/update.ts'
import type { Engine } from './engine.ts'
import { newContext, type RequestContext } from './request-context.ts'
import {
  allowedMethods,
  refuseDeparting,
  refuseMethod,
  refuseRetired,
  refuseUnacceptable,
  serverMethods,
  wantsStream,
} from './route-checks.ts'
import { refusePages, streamStart } from './stream-start.ts'

/** Handles a request, with all refusals in their documented order. Never throws. */
export function handle(engine: Engine, request: PlainRequest): Maybe<PlainResponse> {
  const context = newContext()
  let response: Maybe<PlainResponse>
  try {
    response = answer(engine, request, context)
  } catch (error) {
    response = failed(engine, request, error)
  }
  const conclude = (last: PlainResponse): PlainResponse => {
    engine.conclude(request, last, context)
    return last
  }
  if (!(response instanceof Promise)) return conclude(response)
  return response.then(conclude, async (error: unknown) => conclude(await failed(engine, request, error)))
}

/** Problems with status 503 that come in large numbers and are expected. Metrics count them; the log has no line for each. */
const expected: ReadonlySet<string> = new Set<ProblemType>([
  'overloaded',
  'shutting-down',
  'search-not-ready',
])

function failed(engine: Engine, request: PlainRequest, error: unknown): Maybe<PlainResponse> {
  if (!(error instanceof StoreError && error.kind === 'outdated')) return refusal(engine, request, error)
  // A name is gone. Where a migration took it, that is noticed every two seconds; this caller is told now.
  return engine.outdated
    .check()
    .catch(() => {})
    .then(() => refusal(engine, request, engine.outdated.is ? storeMigrated() : error))
}

function refusal(engine: Engine, request: PlainRequest, error: unknown): PlainResponse {
  const failure = asProblem(error)
  if (failure.status >= 500 && !expected.has(failure.type)) engine.report(error, request)
  if (failure.details.cause) engine.report(failure.details.cause, request)
  return problemResponse(failure, request.id, engine.model.prefix)
}

function answer(engine: Engine, request: PlainRequest, context: RequestContext): Maybe<PlainResponse> {
  if (engine.outdated.is) throw storeMigrated()
  const target = engine.router.find(request.path)
  if (!target) return elsewhere(engine, request)
  context.target = target
  refuseRetired(engine, target)
  refuseMethod(target, request.method)
  if (request.method === 'OPTIONS') return options(allowedMethods(target))
  return whenThere(engine.authenticator.authenticate(request), (caller) => {
    if (caller) refuseDeparting(engine, caller)
    context.caller = caller
    if (caller) noteCaller(request, caller)
    demandScope(target.view, request.method, caller)
    if (target.sub?.relation.join) demandScope(target.sub.relation.join(), 'GET', caller)
    return perform(engine, request, context, target)
  })
}

/** At once, because what a body may take in memory depends on whose it is. */
function noteCaller({ note }: PlainRequest, { account, subject, consumer }: Caller): void {
  if (!note) return
  note.account = account
  note.subject = subject
  note.consumer = consumer.id
}

/** A path that is not a resource: `*` for the server as a whole, an index, a document, a page, or nothing. */
function elsewhere(engine: Engine, request: PlainRequest): Maybe<PlainResponse> {
  if (request.path === '*') return options(serverMethods(engine.model))
  return whenThere(engine.document(request), (document) => document ?? engine.missing(request.path))
}

function perform(
  engine: Engine,
  request: PlainRequest,
  context: RequestContext,
  target: Target,
): Maybe<PlainResponse> {
  const { caller } = context
  const taken = engine.rates.take(caller, request.address, target.view)
  const outcome = whenThere(taken, (signals) => {
    context.rate = signals
    return run(engine, request, { target, caller: caller ?? anonymous, requestId: request.id }, context)
  })
  return whenThere(outcome, (shown) => successResponse(shown, target, request))
}

/** The caller of public resources. The empty account owns no rows. */
const anonymous: Caller = {
  account: '',
  consumer: { id: 'anonymous', name: 'anonymous', kind: 'external', isUnnamed: true },
  scopes: new Set(),
  subject: null,
  claims: noClaims,
}

const options = (methods: readonly string[]): PlainResponse => ({
  status: 204,
  headers: { Allow: methods.join(', ') },
  body: null,
})

type Answer = (engine: Engine, request: PlainRequest, call: Call, context: RequestContext) => Maybe<Outcome>

const run: Answer = (engine, request, call, context) => {
  const { view, sub } = call.target
  // No statement knows whether a row is there that code answers for.
  if (!view.resource.answered && sub?.owner().resource.answered)
    return demandOwner(engine.answering, call).then(() => runMethod(engine, request, call, context))
  return runMethod(engine, request, call, context)
}

const runMethod: Answer = (engine, request, call, context) => {
  switch (request.method) {
    case 'POST':
      return post(engine, request, call, context)
    case 'PUT':
    case 'PATCH':
      return change(engine, request, call, context)
    case 'DELETE':
      refuseUnacceptable(request, call.target)
      refuseQuery(request.query, 'a write')
      return written(engine, call, () =>
        remove(engine.writer, call, readIfMatch(header(request, 'if-match'))),
      )
    default:
      if (wantsStream(call.target, request)) return follow(engine, request, call, context)
      refuseUnacceptable(request, call.target)
      return call.target.id === null
        ? list(engine, request, call, context)
        : one(engine, request, call, context)
  }
}

const readerOf = (engine: Engine, request: PlainRequest, { caller }: Call): Reader =>
  engine.readerFor(caller.account, header(request, 'store-position'))

const one: Answer = (engine, request, call, context) => {
  const ceiling = engine.model.limits.rowsPerRequest
  const query = readOneQuery(request.query, call.target.view, ceiling, disclosedTo(context.caller))
  allowQuery(query, context)
  if (call.target.view.resource.answered) return answerOne(engine.answering, call, query)
  if (call.target.view.serves === 'events') return readEvent(engine.events, call, audienceOf(call.caller))
  if (call.target.view.serves === 'audit') return readAuditEntry(engine.audit, call, audienceOf(call.caller))
  return readOne(readerOf(engine, request, call), call, query)
}

const list: Answer = (engine, request, call, context) => {
  const query = listQuery(engine, request, call, context)
  refuseUnknownTo(context.caller, query.list)
  if (call.target.view.resource.answered) return answerList(engine.answering, call, query)
  if (call.target.view.serves === 'events')
    return readEventList(engine.events, call, query, audienceOf(call.caller))
  if (call.target.view.serves === 'audit')
    return readAuditList(engine.audit, call, query, audienceOf(call.caller))
  const read = call.target.view.totals ? readTotals : readList
  return read(readerOf(engine, request, call), call, query)
}

function listQuery({ model }: Engine, { query }: PlainRequest, { target }: Call, context: RequestContext) {
  const read = readListQuery(query, target.view, model.limits.rowsPerRequest, disclosedTo(context.caller))
  allowQuery(read.list, context)
  demandReadScopes(read.list.filteredBy, context.caller)
  return read
}

/** GET of the events with `Accept: text/event-stream`: an answer that goes on with what happens from here on. */
const follow: Answer = async (engine, request, call, context) => {
  const { list: query, cursor } = listQuery(engine, request, call, context)
  refusePages(request.query, query)
  const scan = new EventScan(engine.events, call, query, audienceOf(call.caller))
  const check = () =>
    whenThere(engine.authenticator.authenticate(request), (caller) => {
      refuseRetired(engine, call.target)
      if (caller) refuseDeparting(engine, caller)
      demandScope(call.target.view, request.method, caller)
    })
  const from = streamStart(scan, header(request, 'last-event-id'), cursor)
  return { status: 200, body: null, live: await engine.streams.open(scan, call.caller, from, check) }
}

/** An included row needs the same scope as a row that is fetched alone. */
function allowQuery({ include, uses }: OneQuery, context: RequestContext): void {
  if (uses === null) return
  context.uses = uses
  demandReadScopes(include.views, context.caller)
}

const post: Answer = async (engine, request, call, context) => {
  const body = await writtenBody(engine, request, call, context)
  if (call.target.view.resource.answered)
    return answerCreate(engine.answering, call, body, readKeyed(request, call, body))
  await takeForRows(engine, request, call, context, body)
  return written(engine, call, () => create(engine.writer, call, body, readKeyed(request, call, body)))
}

/** The call has counted for the first row of a list. A list that is refused anyway, such as one that is too long, counts for no more. */
async function takeForRows(
  { rates }: Engine,
  { address }: PlainRequest,
  { target: { view } }: Call,
  context: RequestContext,
  body: JsonObject,
): Promise<void> {
  const rows = isRowList(view, body) ? listed(view, body).length : 0
  if (rows < 2) return
  try {
    context.rate = await rates.takeMore(context.caller, address, view, rows - 1)
  } catch (error) {
    throw refusedList(error, rows)
  }
}

const change: Answer = async (engine, request, call, context) => {
  const body = await writtenBody(engine, request, call, context)
  const ifMatch = readIfMatch(header(request, 'if-match'))
  const how = request.method === 'PUT' ? 'replace' : 'patch'
  return written(engine, call, () => update(engine.writer, call, how, body, ifMatch))
}

/** Where replicas answer reads, the answer to a write has the position from which on they show it. */
function written({ replicas }: Engine, { caller }: Call, write: () => Maybe<Outcome>): Maybe<Outcome> {
  if (!replicas) return write()
  replicas.writing(caller.account)
  return whenThere(write(), async (outcome) => ({
    ...outcome,
    position: await replicas.wrote(caller.account),
  }))
}

async function writtenBody(
  engine: Engine,
  request: PlainRequest,
  call: Call,
  context: RequestContext,
): Promise<JsonObject> {
  const body = await readBody(engine, request, call.target)
  refuseQuery(request.query, 'a write')
  const { view } = call.target
  const isList = request.method === 'POST' && isRowList(view, body)
  const rows = isList ? listed(view, body) : [body]
  if (isList) refuseUnknownInList(view, rows, call.caller.scopes)
  else refuseUnknownFields(view, body, call.caller.scopes, request.method === 'POST' ? 'create' : 'update')
  const fields = [...new Set(rows.flatMap((row) => Object.keys(Object(row))))]
  context.uses = { ...context.uses, fields, lists: isList ? ['bulk'] : [] }
  return body
}

const header = (request: PlainRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** A body may take half a minute to arrive. After this long, the caller is authenticated again. */
const slowMs = 500

/** The body as a JSON object. Checked in this order: its size, its media type, the Accept header, its syntax. */
async function readBody(engine: Engine, request: PlainRequest, target: Target): Promise<JsonObject> {
  const askedAt = performance.now()
  const bytes = await request.readBody(target.view.limits.bodyBytes)
  // A key that was revoked, or lost its scope, while the body arrived must not write any more.
  if (performance.now() - askedAt > slowMs)
    demandScope(target.view, request.method, await engine.authenticator.authenticate(request))
  refuseMediaType(request)
  refuseUnacceptable(request, target)
  const isListTaken = request.method === 'POST' && target.view.bulk
  return readJsonObject(bytes, engine.model.limits.jsonDepth, 'body', isListTaken ? rowListForm : undefined)
}
