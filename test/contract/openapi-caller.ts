import type { Version, View } from '../../src/compile/model.ts'
import type { TestApi } from '../../src/testing.ts'
import type { Document, Judge, Operation } from './openapi-judge.ts'

type Json = { readonly [key: string]: unknown }
export type Row = Json & { readonly id: string }
type Answer = { readonly status: number; readonly body: Json; readonly headers: Headers }
type HeaderMap = { readonly [name: string]: string }

/** Calls an API by nothing but its document and its examples; every exchange is heard by the judge. */
export interface Caller {
  call(method: string, path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>
  callText(method: string, path: string, text: string, headers?: HeaderMap): Promise<Answer>
  /** A new row of a collection, with the rows it refers to. */
  create(name: string): Promise<Row>
  /** The document's example of a create, with unique values of its own and rows to refer to. */
  newBody(name: string): Promise<Json>
  /** `/v2/orders/{id}` with the ids of new rows. */
  fill(path: string): Promise<string>
  /** The same with rows made once, for calls that change nothing. */
  fillAgain(path: string): Promise<string>
  succeed(operation: Operation): Promise<void>
  refuse(operation: Operation): Promise<void>
  queriesOf(operation: Operation): Promise<readonly string[]>
}

interface Parts {
  readonly api: TestApi
  readonly key: string
  readonly version: Version
  readonly document: Document
  readonly judge: Judge
}

export const createCaller = ({ api, key, version, document, judge }: Parts): Caller => {
  const callText = async (
    method: string,
    path: string,
    text?: string,
    headers: HeaderMap = {},
  ): Promise<Answer> => {
    const type = text === undefined ? {} : { 'Content-Type': 'application/json' }
    const all = Object.entries({ Authorization: `Bearer ${key}`, ...type, ...headers })
    const request = new Request(new URL(path, 'http://localhost'), {
      method,
      headers: Object.fromEntries(all.filter(([, value]) => value !== '')),
      ...(text === undefined ? {} : { body: text }),
    })
    const response = await api.fetch(request.clone())
    const answer = await response.text()
    judge.hear(request, parsed(text), response, answer)
    return { status: response.status, body: (parsed(answer) ?? {}) as Json, headers: response.headers }
  }
  const call: Caller['call'] = (method, path, body, headers) =>
    callText(method, path, body === undefined ? undefined : JSON.stringify(body), headers)

  const viewNamed = (name: string): View => {
    const view = version.views.get(name)
    if (!view) throw new Error(`${version.name} has no ${name}`)
    return view
  }
  const bodyOf = (name: string, values: Json): Json => {
    const example = Object.entries(document.components.schemas ?? {}).find(([schema, told]) =>
      isCreateOf(schema, told, viewNamed(name)),
    )?.[1].examples as Json[] | undefined
    return { ...example?.[0], ...uniqueValues(viewNamed(name)), ...values }
  }
  const referencesOf = async (view: View): Promise<Json> => {
    const references: { [name: string]: string } = {}
    for (const field of view.fields) {
      if (field.target && field.required) references[field.name] = (await create(field.target().name)).id
    }
    return references
  }
  /** An endpoint that is never reached, and an event to deliver once more. */
  const webhookValues = async (name: string): Promise<Json> => {
    if (name === 'webhook-endpoints') return { url: 'https://receiver.invalid/' }
    return name === 'webhook-deliveries' ? { event_id: (await newestEvent()).id } : {}
  }
  const newBody: Caller['newBody'] = async (name) => {
    const view = viewNamed(name)
    const optional = view.fields.filter((field) => field.target && !field.required)
    const unset = Object.fromEntries(optional.map((field) => [field.name, null]))
    return bodyOf(name, { ...unset, ...(await referencesOf(view)), ...(await webhookValues(name)) })
  }
  const create = async (name: string): Promise<Row> => {
    const view = viewNamed(name)
    if (view.serves === 'events') return newestEvent()
    const body = { ...(await newBody(name)), ...rareEvents(name) }
    const path = view.topLevel ? `/${version.name}/${name}` : nested(view, body)
    const { status, body: answer } = await call('POST', path, body, {
      'Idempotency-Key': crypto.randomUUID(),
    })
    if (status !== 201) throw new Error(`POST ${path} → ${status}: ${JSON.stringify(answer)}`)
    return answer.data as Row
  }
  const withEvents = version.views.values().find((view) => view.events)?.name ?? ''
  /** For an endpoint that other rows belong to: every event for every endpoint would be thousands of calls that reach nobody. */
  const rareEvents = (name: string): Json =>
    name === 'webhook-endpoints' ? { event_types: [`${withEvents}.deleted`] } : {}
  /** Nobody creates events: one comes with a row. */
  const newestEvent = async (): Promise<Row> => {
    await create(withEvents)
    const { body } = await call('GET', `/${version.name}/events?sort=-id&limit=1`)
    return (body.data as Row[])[0] as Row
  }
  const nested = (view: View, references: Json): string => {
    const [sub] = view.under
    const field = view.fields.find((one) => one.field?.name === sub?.by?.field)
    return `/${version.name}/${sub?.owner().name}/${references[field?.name ?? '']}/${sub?.segment}`
  }

  /** The view of a path's rows, and the field that names the owner in it. */
  const placeOf = (path: string) => {
    const [, , collection = '', , segment] = path.split('/')
    if (segment === undefined) return { view: viewNamed(collection), owner: null }
    for (const view of version.views.values()) {
      const sub = view.under.find((one) => one.owner().name === collection && one.segment === segment)
      if (sub)
        return { view, owner: view.fields.find((one) => one.field?.name === sub.by?.field)?.name ?? '' }
    }
    throw new Error(`nothing at ${path}`)
  }
  const fill: Caller['fill'] = async (path) => {
    if (!path.includes('{')) return path
    const { view, owner } = placeOf(path)
    if (owner !== null && !path.includes('{sub_id}'))
      return path.replace('{id}', (await create(path.split('/')[2] ?? '')).id)
    const row = await create(view.name)
    if (owner === null) return path.replace('{id}', row.id)
    return path.replace('{id}', String(row[owner])).replace('{sub_id}', row.id)
  }

  const filled = new Map<string, Promise<string>>()
  const fillAgain: Caller['fillAgain'] = (path) => {
    const known = filled.get(path) ?? fill(path)
    filled.set(path, known)
    return known
  }

  const succeed: Caller['succeed'] = async (operation) => {
    const path = await fill(operation.path)
    const { view, owner } = placeOf(operation.path)
    const include = view.includePaths.length > 0 ? `?include=${view.includePaths.join(',')}` : ''
    switch (operation.method) {
      case 'GET': {
        const { headers } = await call('GET', `${path}${include}`)
        const etag = headers.get('etag')
        if (etag)
          expectStatus(304, await call('GET', `${path}${include}`, undefined, { 'If-None-Match': etag }))
        return
      }
      case 'POST': {
        const whole = { ...(await newBody(view.name)), ...(owner ? { [owner]: path.split('/')[3] } : {}) }
        const once = { 'Idempotency-Key': crypto.randomUUID() }
        expectStatus(201, await call('POST', path, whole, once))
        if (view.idempotency.mode !== 'off') expectStatus(201, await call('POST', path, whole, once))
        return
      }
      case 'PUT': {
        const { body, headers } = await call('GET', path)
        return expectStatus(
          200,
          await call('PUT', path, body.data, { 'If-Match': headers.get('etag') ?? '' }),
        )
      }
      case 'PATCH': {
        const example = patchExample(document, operation)
        const unique = Object.entries(uniqueValues(view)).filter(([name]) => name in example)
        Object.assign(example, Object.fromEntries(unique))
        expectStatus(200, await call('PATCH', path, example, { 'If-Match': '*' }))
        const type = { 'Content-Type': 'application/merge-patch+json', 'If-Match': '*' }
        return expectStatus(200, await call('PATCH', path, example, type))
      }
      default:
        return expectStatus(204, await call('DELETE', path, undefined, { 'If-Match': '*' }))
    }
  }

  const refuse: Caller['refuse'] = async (operation) => {
    const path = await fillAgain(operation.path)
    const { view } = placeOf(operation.path)
    const { method } = operation
    if (method === 'GET' && view.includePaths.length > 0) {
      for (const include of ['nothing', 'a.b.c', 'a,b,c,d,e,f,g,h,i,j,k'])
        expectStatus(400, await call('GET', `${path}?include=${include}`))
    }
    if (operation.id.startsWith('list'))
      expectStatus(400, await call('GET', `${path}?cursor=made-up&limit=0`))
    if (operation.id.startsWith('list')) expectStatus(400, await call('GET', `${path}?cursor=made-up`))
    if (method === 'POST' && view.idempotency.mode !== 'off') {
      expectStatus(400, await call('POST', path, {}, { 'Idempotency-Key': 'two words' }))
      if (view.idempotency.mode === 'required') expectStatus(400, await call('POST', path, {}))
    }
    if (method === 'PUT' || method === 'PATCH' || method === 'DELETE') {
      const body = method === 'DELETE' ? undefined : {}
      expectStatus(412, await call(method, path, body, { 'If-Match': '"999"' }))
      if (view.requireIfMatch) expectStatus(428, await call(method, path, body))
    }
  }

  const queriesOf: Caller['queriesOf'] = async (operation) => {
    const { view } = placeOf(operation.path)
    const row = await create(view.name)
    const parameters = (operation.told.parameters ?? []) as { readonly $ref: string }[]
    const names = parameters
      .map(({ $ref }) => $ref.split('/').at(-1) ?? '')
      .filter((one) => one.includes('.filter.'))
    const filters = names.map((one) => {
      const told = document.components.parameters?.[one]
      const field = /\[([^\]]+)\]/.exec(String(told?.name))?.[1] ?? ''
      return `${told?.name}=${encodeURIComponent(String(row[field] ?? 'null'))}`
    })
    const comparesNull = filters.filter((query) => !/\[[gl]te?\]=null$/.test(query))
    const sorts = [...view.sorts].flatMap((one) => [`sort=${one}`, `sort=-${one},-id`])
    const includes = view.includePaths.length > 0 ? [`limit=1&include=${view.includePaths.join(',')}`] : []
    return ['limit=1', 'limit=100000', ...sorts, ...includes, ...comparesNull]
  }

  return { call, callText, create, newBody, fill, fillAgain, succeed, refuse, queriesOf }
}

const parsed = (text: string | undefined): unknown => {
  if (text === undefined || text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const expectStatus = (status: number, answer: Answer): void => {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Found by its fields, so that the test does not share the naming of what it tests. */
const isCreateOf = (schema: string, told: Json, view: View): boolean => {
  const names = view.fields.filter((field) => !field.readOnly).map((field) => field.name)
  const has = Object.keys((told.properties ?? {}) as Json)
  return /Create/.test(schema) && has.length === names.length && names.every((name) => has.includes(name))
}

let serial = 0
const uniqueValues = (view: View): Json => {
  serial += 1
  const values: { [name: string]: unknown } = {}
  for (const name of view.resource.uniques.flat()) {
    const field = view.fields.find((one) => one.field?.name === name)
    if (field)
      values[field.name] = field.schema.format === 'email' ? `row-${serial}@example.com` : `row-${serial}`
  }
  return values
}

const patchExample = (document: Document, operation: Operation): { [name: string]: unknown } => {
  const body = operation.told.requestBody as { content: { 'application/json': { schema: { $ref: string } } } }
  const name = body.content['application/json'].schema.$ref.split('/').at(-1) ?? ''
  return { ...((document.components.schemas?.[name]?.examples ?? []) as Json[])[0] }
}
