import type { Model, Version } from '../../compile/model.ts'
import { isEngineProblem, type ProblemKind, type ProblemType } from '../../problems.ts'
import { pascal } from './document-names.ts'
import { type DocumentPart, schemaRef } from './field-schemas.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import { problemExample, problemSchemaName, problemUri } from './problem-schemas.ts'

/** Collects the problem responses that operations share, each under a name made of its problems. */
export interface ProblemResponses {
  /** References by status, for one operation. */
  refs(types: readonly string[]): DocumentPart
  components(): DocumentPart
  /** The schemas of responses with one of several problems, by name. */
  schemas(): DocumentPart
}

/** A problem type and its meaning. */
type KnownProblem = readonly [type: string, kind: ProblemKind]

export const createProblemResponses = (version: Version, kinds: Model['problems']): ProblemResponses => {
  const made: { [name: string]: DocumentPart } = {}
  const choices: { [name: string]: DocumentPart } = {}
  const ofOne = new Set([...kinds.keys()].map((type) => problemSchemaName(type).toLowerCase()))
  const schemaOf = (response: string, known: readonly KnownProblem[]): DocumentPart => {
    const [first, ...others] = known
    if (first && others.length === 0) return schemaRef(problemSchemaName(first[0]))
    const plain = `${response}Problem`
    const name = ofOne.has(plain.toLowerCase()) ? `Any${plain}` : plain
    choices[name] = choice(known)
    return schemaRef(name)
  }
  const define = (status: number, known: readonly KnownProblem[]): DocumentPart => {
    const name = responseName(status, known)
    made[name] ??= response(version, status, known, schemaOf(name, known))
    return { $ref: `#/components/responses/${name}` }
  }
  return {
    refs(types) {
      const known = [...new Set(types)].sort().flatMap((type): KnownProblem[] => {
        const kind = kinds.get(type)
        return kind ? [[type, kind]] : []
      })
      const byStatus = Map.groupBy(known, ([, kind]) => kind.status)
      return Object.fromEntries([...byStatus].map(([status, some]) => [status, define(status, some)]))
    },
    components: () => made,
    schemas: () => choices,
  }
}

/** The name that distinguishes one set of problems of a status from another. */
const labels: { readonly [T in ProblemType]?: string } = {
  'include-unknown': 'Include',
  'response-too-large': 'Size',
  'totals-too-large': 'Totals',
  'bad-cursor': 'Cursor',
  'not-permitted': 'Rule',
  'events-expired': 'Events',
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
  402: 'PaymentRequired',
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
  423: 'Locked',
  428: 'PreconditionRequired',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  451: 'UnavailableForLegalReasons',
  500: 'Unexpected',
  503: 'Unavailable',
}

const responseName = (status: number, known: readonly KnownProblem[]): string => {
  const reason = reasons[status] ?? `Status${status}`
  return reason + known.map(([type]) => labelOf(type)).join('')
}

/** The engine's own problems are in the name only where needed; declared problems always are. */
const labelOf = (type: string): string => (isEngineProblem(type) ? (labels[type] ?? '') : pascal(type))

const response = (
  version: Version,
  status: number,
  known: readonly KnownProblem[],
  schema: DocumentPart,
): DocumentPart => ({
  description: `${known.map(([, kind]) => kind.title).join(', or: ')}.`,
  headers: headerRefs(version, headersOf(status)),
  content: {
    'application/problem+json': {
      schema,
      examples: Object.fromEntries(
        known.map(([type, kind]) => [type, { summary: kind.title, value: problemExample(type, kind) }]),
      ),
    },
  },
})

const choice = (known: readonly KnownProblem[]): DocumentPart => {
  const schemas = known.map(([type]) => schemaRef(problemSchemaName(type)))
  const mapping = known.map(([type, kind]) => [
    problemUri(type, kind),
    schemaRef(problemSchemaName(type)).$ref,
  ])
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
/** Statuses of checks that all come before the rate limit. A rule, an included row or a field may refuse with 401 or 403 after it. */
const early = new Set([408, 410, 414, 431])

const headersOf = (status: number): readonly HeaderName[] => [
  ...(headersByStatus[status] ?? []),
  ...(early.has(status) ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
]
