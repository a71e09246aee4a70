import type { Version } from '../../compile/model.ts'
import { type ProblemType, problemKinds } from '../../problems.ts'
import type { Part } from './fields.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import { problemExample, problemSchemaName, problemUri } from './problem-schemas.ts'
import { schemaRef } from './schemas.ts'

/** Collects the problem responses that operations share, each under a name made of what it covers. */
export interface ProblemResponses {
  /** References by status, for one operation. */
  refs(types: readonly ProblemType[], hasRules: boolean): Part
  components(): Part
}

export const createProblemResponses = (version: Version): ProblemResponses => {
  const made: { [name: string]: Part } = {}
  const define = (status: number, types: readonly ProblemType[], ruled: boolean): Part => {
    const name = responseName(status, types, ruled)
    made[name] ??= response(version, status, types, ruled)
    return { $ref: `#/components/responses/${name}` }
  }
  return {
    refs(types, hasRules) {
      const refs: { [status: string]: Part } = {}
      const byStatus = Map.groupBy([...new Set(types)].sort(), (type) => problemKinds[type].status)
      // A rule of a hook is a 409 unless it says another 4xx.
      if (hasRules && !byStatus.has(409)) byStatus.set(409, [])
      for (const [status, some] of byStatus)
        refs[status] = define(status, some, hasRules && ruleStatuses.has(status))
      if (hasRules) {
        made.RuleBroken ??= response(version, 0, [], true)
        refs['4XX'] = { $ref: '#/components/responses/RuleBroken' }
      }
      return refs
    },
    components: () => made,
  }
}

/** Where a rule of a hook is told from what the engine refuses with the same status. */
const ruleStatuses = new Set([400, 403, 404, 409, 422])

/** What tells one set of problems of a status from another. */
const labels: { readonly [T in ProblemType]?: string } = {
  'include-unknown': 'Include',
  'bad-cursor': 'Cursor',
  'malformed-json': 'Body',
  'idempotency-key-malformed': 'Key',
  'idempotency-key-missing': 'KeyRequired',
  'unique-conflict': 'Unique',
  'still-referenced': 'Referenced',
  'transition-not-allowed': 'Move',
  'state-conflict': 'State',
  'idempotency-in-progress': 'Key',
  'idempotency-key-reused': 'Key',
  'issuer-unavailable': 'Issuer',
}

const reasons: { readonly [status: number]: string } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'BodyTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  428: 'PreconditionRequired',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'Unexpected',
  503: 'Unavailable',
}

const responseName = (status: number, types: readonly ProblemType[], ruled: boolean): string => {
  const reason = reasons[status] ?? `Status${status}`
  return `${reason}${types.map((type) => labels[type] ?? '').join('')}${ruled ? 'Rule' : ''}`
}

const response = (version: Version, status: number, types: readonly ProblemType[], ruled: boolean): Part => {
  const schemas = [...types.map(problemSchemaName), ...(ruled ? ['RuleProblem'] : [])].map(schemaRef)
  const titles = types.map((type) => problemKinds[type].title)
  const examples = types.map((type) => [
    type,
    { summary: problemKinds[type].title, value: problemExample(type) },
  ])
  return {
    description: `${[...titles, ...(ruled ? ['A rule of the resource'] : [])].join(', or: ')}.`,
    headers: headerRefs(version, headersOf(status)),
    content: {
      'application/problem+json': {
        schema: choice(schemas, types, ruled),
        ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}),
      },
    },
  }
}

const choice = (schemas: readonly Part[], types: readonly ProblemType[], ruled: boolean): Part => {
  if (schemas.length === 1) return schemas[0] ?? {}
  if (ruled) return { anyOf: schemas }
  const mapping = types.map((type) => [problemUri(type), schemaRef(problemSchemaName(type)).$ref])
  return { oneOf: schemas, discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) } }
}

const headersByStatus: { readonly [status: number]: readonly HeaderName[] } = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  409: ['Retry-After'],
  412: ['ETag'],
  415: ['Accept-Patch'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}
/** Judged before the call is counted. */
const early = new Set([401, 403, 408, 410, 414, 431])

const headersOf = (status: number): readonly HeaderName[] => [
  ...(headersByStatus[status] ?? []),
  ...(early.has(status) ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
]
