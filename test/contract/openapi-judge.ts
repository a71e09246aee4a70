import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Json = { readonly [key: string]: unknown }
export type Document = Json & {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } }
  readonly components: { readonly [section: string]: { readonly [name: string]: Json } }
}

export interface Operation {
  readonly method: string
  /** With the version. */
  readonly path: string
  readonly id: string
  readonly told: Json
}

/** Compares real requests and responses with the document, and records which operations succeeded. */
export interface Judge {
  readonly operations: readonly Operation[]
  readonly succeeded: ReadonlySet<string>
  /** `createOrder 409` */
  readonly answered: ReadonlySet<string>
  /** Throws when the exchange is not as documented. */
  hear(request: Request, sent: unknown, response: Response, body: string): void
}

/** Of HTTP itself, or for browsers and the same on every answer. */
const transport = new Set([
  'content-type',
  'content-length',
  'vary',
  'allow',
  'accept',
  'content-security-policy',
  'x-content-type-options',
  'referrer-policy',
])

export const createJudge = (document: Document, version: string): Judge => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(strict(document) as Json, 'doc')
  const operations = operationsOf(document, version)
  const succeeded = new Set<string>()
  const answered = new Set<string>()
  const validators = new Map<string, ValidateFunction>()

  const validate = (steps: readonly string[], value: unknown, what: string): void => {
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const ref = `doc#/${pointer.join('/')}`
    const known = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, known)
    if (!known(value))
      throw new Error(`${what}: ${ajv.errorsText(known.errors)}\n${JSON.stringify(value).slice(0, 600)}`)
  }

  return {
    operations,
    succeeded,
    answered,
    hear(request, sent, response, body) {
      const url = new URL(request.url)
      const operation = operations.find(
        (one) => one.method === request.method && matches(one.path, url.pathname),
      )
      if (!operation) throw new Error(`${request.method} ${url.pathname} is not documented`)
      const what = `${operation.id} → ${response.status}`
      const steps = stepsTo(document, operation, version, String(response.status))
      const told = at(document, steps) as Json | undefined
      if (!told) throw new Error(`${what} is not documented: ${body}`)
      checkHeaders(told, response, what)
      checkBody(told, steps, response, body, what, validate)
      answered.add(`${operation.id} ${response.status}`)
      if (!response.ok) return
      succeeded.add(operation.id)
      checkQuery(document, operation, url, what)
      const path = operation.path.slice(version.length + 1)
      const type = request.headers.get('content-type')
      if (sent !== undefined && type) {
        const media = ['paths', path, request.method.toLowerCase(), 'requestBody', 'content', type, 'schema']
        validate(media, sent, `${what}, request`)
      }
    },
  }
}

const operationsOf = ({ paths }: Document, version: string): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, told]) => ({
        method: method.toUpperCase(),
        path: `/${version}${path}`,
        id: String(told.operationId),
        told,
      })),
  )

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path)

const at = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce((inner, step) => (inner as Json | undefined)?.[step], value)

const stepsTo = (document: Document, operation: Operation, version: string, status: string): string[] => {
  const path = operation.path.slice(version.length + 1)
  const steps = ['paths', path, operation.method.toLowerCase(), 'responses', status]
  const ref = (at(document, steps) as Json | undefined)?.$ref
  return typeof ref === 'string' ? ref.slice(2).split('/') : steps
}

const checkHeaders = (told: Json, response: Response, what: string): void => {
  const known = new Set(Object.keys((told.headers ?? {}) as Json).map((name) => name.toLowerCase()))
  for (const name of response.headers.keys()) {
    // Every problem is `no-store`; that is no news on each of them.
    if (transport.has(name) || (name === 'cache-control' && !response.ok)) continue
    if (!known.has(name)) throw new Error(`${what} carries the header ${name}, which is not documented`)
  }
}

const checkBody = (
  told: Json,
  steps: readonly string[],
  response: Response,
  body: string,
  what: string,
  validate: (steps: readonly string[], value: unknown, what: string) => void,
): void => {
  const content = told.content as Json | undefined
  if (!content) {
    if (body !== '') throw new Error(`${what} has a body, which is not documented`)
    return
  }
  const type = response.headers.get('content-type') ?? ''
  if (!content[type]) throw new Error(`${what} is ${type}, which is not documented`)
  validate([...steps, 'content', type, 'schema'], JSON.parse(body), what)
}

const checkQuery = (document: Document, { told }: Operation, url: URL, what: string): void => {
  const parameters = (told.parameters ?? []) as Json[]
  const resolved = parameters.map((one) => at(document, String(one.$ref).slice(2).split('/')) as Json)
  const names = new Set(resolved.filter((one) => one.in === 'query').map((one) => one.name))
  for (const name of url.searchParams.keys())
    if (!names.has(name)) throw new Error(`${what}: the parameter ${name} is not documented`)
}

/** Responses may grow, so their schemas let more pass; here nothing may pass that is not documented. */
const strict = (value: unknown, inAllOf = false, path: readonly string[] = []): unknown => {
  if (Array.isArray(value)) return value.map((one) => strict(one, path.at(-1) === 'allOf', [...path, '*']))
  if (typeof value !== 'object' || value === null) return value
  const node = value as Json
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, one]) => [key, isData(key) ? one : strict(one, false, [...path, key])]),
  )
  const isSchema =
    '$ref' in node ? String(node.$ref).includes('/schemas/') : 'allOf' in node || isObject(node)
  // A row's base form is also a part of the form with relations: it is closed where it is referred to.
  const isBase = path.length === 3 && path[1] === 'schemas' && !('allOf' in node)
  return isSchema && !inAllOf && !isBase ? { ...inner, unevaluatedProperties: false } : inner
}

const isData = (key: string): boolean => key === 'example' || key === 'examples' || key.startsWith('x-')
const isObject = (node: Json): boolean => node.type === 'object' && 'properties' in node
