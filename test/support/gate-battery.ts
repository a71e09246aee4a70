import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { samplesOf } from './schema-samples.ts'

type Json = { readonly [key: string]: unknown }
type Document = { readonly paths: { readonly [path: string]: { readonly [method: string]: Json } } }

export interface BatteryCall {
  readonly method: string
  /** Without the version; `{id}` and `{sub_id}` stand for rows. */
  readonly template: string
  readonly query: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: { readonly [field: string]: unknown }
}

/** What a document promises: which calls it allows, and what it says of their answers. */
export interface Promises {
  readonly scopes: readonly string[]
  /** Returns at most this many calls of each operation; `turn` decides which. */
  reads(most: number): readonly BatteryCall[]
  writes(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'): readonly BatteryCall[]
  /** The differences between a successful answer and the document; empty when there are none. */
  faults(call: BatteryCall, status: number, type: string, body: unknown): string
}

const mostWrites = 12

export const promisesOf = (document: Document, turn: number): Promises => {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true, logger: false })
  addFormats.default(ajv)
  ajv.addSchema(document as object, 'doc')
  const validators = new Map<string, ValidateFunction>()
  const validator = (steps: readonly string[]): ValidateFunction => {
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const ref = `doc#/${pointer.join('/')}`
    const known = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, known)
    return known
  }
  const resolved = (part: unknown): Json => {
    const ref = (part as Json | undefined)?.$ref
    if (typeof ref !== 'string') return (part ?? {}) as Json
    const steps = ref.slice(2).split('/')
    return resolved(steps.reduce((inner, step) => (inner as Json)[step] as Json, document as unknown as Json))
  }
  const operations = Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, told]) => ({ template, method: method.toUpperCase(), told })),
  )
  const parametersOf = ({
    told,
    template,
  }: {
    readonly told: Json
    readonly template: string
  }): readonly Json[] =>
    [
      ...((told.parameters ?? []) as Json[]),
      ...((document.paths[template]?.parameters ?? []) as never as Json[]),
    ].map(resolved)
  const headersOf = (operation: { readonly told: Json; readonly template: string }, at: number) => {
    const names = parametersOf(operation).filter((one) => one.in === 'header')
    const key = names.find((one) => one.name === 'Idempotency-Key')
    const match = names.find((one) => one.name === 'If-Match')
    return {
      ...(key && (key.required || at % 2 === 0) ? { 'Idempotency-Key': `key-${turn}-${serial++}` } : {}),
      ...(match && (match.required || at % 2 === 0) ? { 'If-Match': 'current' } : {}),
    }
  }
  const mediaOf = (told: Json) => Object.keys((resolved(told.requestBody).content ?? {}) as Json)

  return {
    scopes: operations.flatMap(({ told }) => (told['x-required-scopes'] ?? []) as readonly string[]),
    reads: (most) =>
      operations
        .filter(({ method }) => method === 'GET')
        .flatMap((operation) =>
          some(queriesOf(parametersOf(operation).filter((one) => one.in === 'query')), turn, most).map(
            (query) => ({
              method: 'GET',
              template: operation.template,
              query,
              headers: {},
            }),
          ),
        ),
    writes: (method) =>
      operations
        .filter((one) => one.method === method)
        .flatMap((operation) => {
          const call = { method, template: operation.template, query: '' }
          if (method === 'DELETE') return [{ ...call, headers: headersOf(operation, 0) }]
          const [media = '', other = media] = mediaOf(operation.told)
          const content = ['paths', operation.template, method.toLowerCase(), 'requestBody', 'content']
          const schema = resolved(
            (resolved(operation.told.requestBody).content as { [type: string]: Json })[media]?.schema,
          )
          const isAllowed = validator([...content, media, 'schema'])
          return some(
            bodiesOf(schema).filter((body) => isAllowed(body)),
            turn,
            mostWrites,
          ).map((body, at) => ({
            ...call,
            body,
            headers: { 'Content-Type': at % 3 === 2 ? other : media, ...headersOf(operation, at) },
          }))
        }),
    faults(call, status, type, body) {
      const told = document.paths[call.template]?.[call.method.toLowerCase()]
      const steps = ['paths', call.template, call.method.toLowerCase(), 'responses', String(status)]
      const response = (told?.responses as { [status: string]: Json } | undefined)?.[String(status)]
      if (!response) return `${status} is not described`
      const content = resolved(response).content as Json | undefined
      if (!content) return body === undefined ? '' : 'no body is described'
      if (!content[type]) return `${type} is not described`
      const at = typeof response.$ref === 'string' ? response.$ref.slice(2).split('/') : steps
      const isDescribed = validator([...at, 'content', type, 'schema'])
      return isDescribed(body) ? '' : ajv.errorsText(isDescribed.errors)
    },
  }
}

let serial = 0

/** Half are the first, simplest calls; the other half is chosen from the rest. */
const some = <T>(all: readonly T[], turn: number, most: number): readonly T[] => {
  if (all.length <= most) return all
  const plainest = Math.ceil(most / 2)
  const rest = all.slice(plainest)
  const step = Math.ceil(rest.length / (most - plainest))
  return [...all.slice(0, plainest), ...rest.filter((_, at) => (at + turn) % step === 0)]
}

const queriesOf = (parameters: readonly Json[]): readonly string[] => {
  const named = (name: string) => parameters.find((one) => one.name === name)
  const itemsOf = (name: string) =>
    (((named(name)?.schema as Json | undefined)?.items as Json | undefined)?.enum ?? []) as readonly string[]
  const paths = itemsOf('include')
  const includes = [paths, ...paths.map((path) => [path])].filter((one) => one.length > 0)
  const limits = named('limit') ? ['', 'limit=1', 'limit=7', 'limit=1000'] : ['']
  const either = 'filter[or]'
  const filters = parameters.filter(({ name }) => String(name).startsWith('filter[') && name !== either)
  const conditions = filters.flatMap(({ name, schema }) => {
    const told = schema as Json
    const values = samplesOf((told.items ?? told) as Json).filter((value) => value !== '')
    const texts = values.map((value) => encodeURIComponent(String(value).replaceAll(',', '\\,')))
    return [...texts.slice(0, 3), ...(told.items ? [texts.slice(0, 2).join(',')] : [])].map(
      (text) => `${name}=${text}`,
    )
  })
  const alternatives = [conditions.at(0), conditions.at(-1)].map((one, at) =>
    one?.replace('filter[', `${either}[${at}][`),
  )
  return [
    '',
    ...includes.flatMap((some) => limits.map((limit) => joined(`include=${some.join(',')}`, limit))),
    ...limits.slice(1),
    ...(named('count') ? ['count=true', 'count=true&limit=1'] : []),
    ...itemsOf('sort').flatMap((sort) => [`sort=${sort}`, `sort=${sort}&limit=1`]),
    ...conditions,
    ...(named(either) ? [alternatives.join('&')] : []),
  ]
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('&')

/** Bodies: only the required fields; all fields, each with its first value, then its second and so on; the required fields with one more. */
const bodiesOf = (schema: Json): readonly { readonly [field: string]: unknown }[] => {
  const properties = (schema.properties ?? {}) as { readonly [field: string]: Json }
  const required = new Set((schema.required ?? []) as readonly string[])
  const samples = new Map(
    Object.entries(properties)
      .filter(([name, told]) => told.readOnly !== true && name !== 'id')
      .map(([name, told]) => [name, samplesOf(told)]),
  )
  const named = (names: Iterable<string>, turn: number) =>
    Object.fromEntries([...names].map((name) => [name, freshText(properties[name], samples.get(name), turn)]))
  const each = [...samples].flatMap(([name, values]) =>
    values.map((value) => ({ ...named(required, 0), [name]: value })),
  )
  return [named(required, 0), ...[0, 1, 2, 3].map((turn) => named(samples.keys(), turn)), ...each]
}

/** A text that no other row has, where any text is allowed: fields may have to be unique. */
const freshText = (schema: Json | undefined, samples: readonly unknown[] = [], turn: number): unknown => {
  const { type, format, enum: values, maxLength = 40, minLength = 0 } = schema ?? {}
  const isFree = [type].flat().includes('string') && format === undefined && values === undefined
  if (!isFree || turn > 0) return samples[turn % Math.max(1, samples.length)]
  return `n${(serial++).toString(36)}`.padStart(Number(minLength), 'x').slice(0, Number(maxLength))
}
