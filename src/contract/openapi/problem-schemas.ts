import type { Model } from '../../compile/model.ts'
import { isEngineProblem, type ProblemKind, type ProblemType } from '../../problems.ts'
import { pascal } from './document-names.ts'
import type { DocumentPart } from './field-schemas.ts'

const count = (description: string): DocumentPart => ({ type: 'integer', description })
const word = (description: string): DocumentPart => ({ type: 'string', description })
const list = (description: string): DocumentPart => ({
  type: 'array',
  items: { type: 'string' },
  description,
})

const errors: DocumentPart = {
  type: 'array',
  items: { $ref: '#/components/schemas/FieldError' },
  minItems: 1,
  maxItems: 100,
  description: 'What is wrong, one entry each, in the names of this version.',
}
const path = word('The path that was asked for.')
const allowedPaths = list('The relation paths that can be included.')
const suggestion = word('What was probably meant.')
const limit = count('The limit.')

interface Members {
  readonly always: { readonly [name: string]: DocumentPart }
  readonly sometimes?: { readonly [name: string]: DocumentPart }
  /** Example values of the members. */
  readonly example: { readonly [name: string]: unknown }
}

const includeError = (detail: string, code: string, allowed?: readonly string[]) => ({
  errors: [{ parameter: 'include', detail, code, ...(allowed ? { allowed } : {}) }],
})
const keyError = (detail: string, code: string) => ({
  errors: [{ header: 'Idempotency-Key', detail, code }],
})

/** The members of a problem besides the five that all problems have. */
const members: { readonly [T in ProblemType]?: Members } = {
  'bad-query': {
    always: { errors },
    example: {
      errors: [
        {
          parameter: 'sort',
          detail: '"creatd_at" is not offered; did you mean "created_at"?',
          code: 'unknown',
          allowed: ['id', 'created_at'],
        },
      ],
    },
  },
  'include-unknown': {
    always: { path, allowed: allowedPaths, errors },
    sometimes: { suggestion },
    example: {
      path: 'itms',
      allowed: ['items'],
      suggestion: 'items',
      ...includeError('names "itms", which is not a relation of orders. Did you mean "items"?', 'unknown', [
        'items',
      ]),
    },
  },
  'include-not-allowed': {
    always: { path, allowed: allowedPaths, errors },
    sometimes: { suggestion },
    example: {
      path: 'account',
      allowed: ['items'],
      ...includeError(
        'names the relation "account", which orders does not offer for inclusion. Include items',
        'not_allowed',
        ['items'],
      ),
    },
  },
  'include-too-many': {
    always: { limit, count: count('How many were asked for.'), errors },
    example: {
      limit: 10,
      count: 12,
      ...includeError('names 12 relations, counting parents; at most 10 are allowed in one call', 'too_many'),
    },
  },
  'include-too-deep': {
    always: { limit, count: count('How many steps the path has.'), path, errors },
    example: {
      limit: 2,
      count: 3,
      path: 'items.product.orders',
      ...includeError('has more than 2 steps in the path "items.product.orders"', 'too_deep'),
    },
  },
  'include-too-large': {
    always: {
      limit,
      count: count('How many rows it could be.'),
      arithmetic: word('How that came about.'),
      errors,
    },
    example: {
      limit: 15000,
      count: 20000,
      arithmetic: '200 × (50 items + 50 payments) = 20000',
      ...includeError(
        'could return 20000 rows in this request; at most 15000 are allowed in one',
        'too_large',
      ),
    },
  },
  'response-too-large': {
    always: { limit: count('The most bytes of one answer.') },
    sometimes: { include: word('The include that most of the bytes come from.') },
    example: { limit: 8000000, include: 'items.product' },
  },
  'totals-too-large': {
    always: {},
    sometimes: { limit: count('The most rows that are counted, or the most groups.') },
    example: { limit: 100000 },
  },
  'bad-cursor': {
    always: { errors },
    example: { errors: [{ parameter: 'cursor', detail: 'does not fit this request', code: 'cursor' }] },
  },
  'events-expired': {
    always: { oldest_cursor: word('The cursor before the oldest event that is still there.') },
    example: { oldest_cursor: 'kJ2d0vXq1cWm8TzPaYb3NgWzE3NjMzNzAwMDAwMDAwMDBd' },
  },
  'idempotency-key-missing': { always: { errors }, example: keyError('is required', 'required') },
  'idempotency-key-malformed': { always: { errors }, example: keyError('is malformed', 'syntax') },
  'idempotency-key-reused': { always: { errors }, example: keyError('belongs to another request', 'reused') },
  'scope-missing': {
    always: { scope: word('The scope that is missing; several are separated by spaces.') },
    sometimes: { errors },
    example: { scope: 'orders:write' },
  },
  'not-found': {
    always: {},
    sometimes: {
      missing: word('`path` or `version`, where there is nothing at this path, whatever the row.'),
      versions: list('The versions there are.'),
    },
    example: {},
  },
  'unique-conflict': {
    always: {},
    sometimes: { errors },
    example: { errors: [{ pointer: '#/email', detail: 'is taken', code: 'unique' }] },
  },
  'still-referenced': {
    always: { referenced_by: list('The resources with rows that point to it.') },
    example: { referenced_by: ['orders'] },
  },
  'transition-not-allowed': {
    always: {
      field: word('The state field.'),
      from: word('The present state.'),
      to: word('The state that was asked for.'),
      allowed: list('The states it can move to.'),
      errors,
    },
    example: {
      field: 'status',
      from: 'draft',
      to: 'archived',
      allowed: ['published'],
      errors: [{ pointer: '#/status', detail: 'is not an allowed move', code: 'transition' }],
    },
  },
  'state-conflict': {
    always: {
      field: { type: ['string', 'null'], description: 'The field that decides.' },
      value: word('Its present value.'),
      allowed: list('The values with which the call is possible.'),
    },
    example: { field: 'status', value: 'paid', allowed: ['draft'] },
  },
  'version-retired': {
    always: {},
    sometimes: {
      successor: word('The version to move to.'),
      guide: word('The migration guide.'),
    },
    example: { successor: '/v2', guide: '/docs/migrations/v1-to-v2' },
  },
  'body-too-large': { always: { limit }, example: { limit: 1048576 } },
  'uri-too-long': { always: { limit }, example: { limit: 8192 } },
  'validation-failed': {
    always: { errors },
    sometimes: { more: count('How many errors were left out.') },
    example: { errors: [{ pointer: '#/email', detail: 'must be an email address', code: 'format' }] },
  },
  'too-many-requests': {
    always: {},
    sometimes: { 'violated-policies': list('The quotas that were exceeded.') },
    example: { 'violated-policies': ['account'] },
  },
}

/** A refusal by a hook may name a field. */
const declaredMembers: Members = { always: {}, sometimes: { errors }, example: {} }

const membersOf = (type: string): Members =>
  (isEngineProblem(type) ? members[type] : declaredMembers) ?? { always: {}, example: {} }

export const problemUri = (type: string, { uri }: ProblemKind): string => uri ?? `/problems/${type}`

export const problemSchemaName = (type: string): string => `${pascal(type)}Problem`

/** An example of the problem as JSON. */
export const problemExample = (type: string, kind: ProblemKind): DocumentPart => ({
  type: problemUri(type, kind),
  title: kind.title,
  status: kind.status,
  detail: kind.meaning,
  instance: 'req-01980000',
  ...membersOf(type).example,
})

export const problemSchemas = (kinds: Model['problems']): DocumentPart => ({
  FieldError: fieldError,
  ...Object.fromEntries(
    [...kinds].map(([type, kind]) => [problemSchemaName(type), problemSchema(type, kind)]),
  ),
})

/** Repeats the members that all problems have: generators differ most in how they read `allOf`. */
const problemSchema = (type: string, kind: ProblemKind): DocumentPart => {
  const { always, sometimes = {} } = membersOf(type)
  return {
    type: 'object',
    description: `${kind.title}: ${kind.meaning} ${kind.fix}`,
    properties: {
      ...baseMembers,
      type: { ...baseMembers.type, enum: [problemUri(type, kind)] },
      status: { ...baseMembers.status, enum: [kind.status] },
      ...always,
      ...sometimes,
    },
    required: [...Object.keys(baseMembers), ...Object.keys(always)],
  }
}

/** The members of every problem (RFC 9457). */
const baseMembers = {
  type: {
    type: 'string',
    format: 'uri-reference',
    description: 'The kind of problem; its URL opens a page.',
  },
  title: word('The kind of problem, for people.'),
  status: { type: 'integer', description: 'The HTTP status.' },
  detail: word('What happened this time.'),
  instance: word('The id of the request.'),
} satisfies { readonly [name: string]: DocumentPart }

const fieldError: DocumentPart = {
  type: 'object',
  description: 'One wrong field, parameter or header.',
  properties: {
    pointer: word('A JSON pointer into the body.'),
    parameter: word('The query parameter.'),
    header: word('The header.'),
    detail: word('What is wrong with it.'),
    code: word('The same for programs.'),
    allowed: list('Names that can be used in its place, at most 50, where a name is wrong.'),
  },
  required: ['detail', 'code'],
}
