import fc from 'fast-check'
import { z } from 'zod'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import * as field from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'
import { gateOptions, jsonShapes } from './gate-options.ts'

/** Option → the index of its value; an option that is missing has its first value. */
export type Plan = { readonly [option: string]: number }

export interface GateCase {
  readonly before: Plan
  readonly edits: Plan
}

const someOptions = (most: number, least = 0): fc.Arbitrary<Plan> =>
  fc
    .uniqueArray(
      fc
        .constantFrom(...Object.keys(gateOptions))
        .chain((option) => fc.tuple(fc.constant(option), fc.nat((gateOptions[option]?.length ?? 1) - 1))),
      { minLength: least, maxLength: most, selector: ([option]) => option },
    )
    .map((pairs) => Object.fromEntries(pairs))

/** Mostly one edit: of several edits one is often refused, which hides the effect of the others. */
const someEdits = fc.oneof(
  { weight: 3, arbitrary: someOptions(1, 1) },
  { weight: 1, arbitrary: someOptions(2, 2) },
)

/** A declaration, and a few of its options with other values. */
export const gateCase: fc.Arbitrary<GateCase> = fc
  .record({ before: someOptions(14), edits: someEdits })
  .filter(({ before, edits }) => Object.entries(edits).every(([option, at]) => at !== (before[option] ?? 0)))

export const editedPlan = ({ before, edits }: GateCase): Plan => ({ ...before, ...edits })

/** `trees.text.most: 12 → 8`, with what else the declaration says. */
export const caseText = ({ before, edits }: GateCase): string => {
  const value = (plan: Plan, option: string) => JSON.stringify(gateOptions[option]?.[plan[option] ?? 0])
  const said = Object.keys(before).map((option) => `  ${option}: ${value(before, option)}`)
  const edited = Object.keys(edits).map(
    (option) => `  ${option}: ${value(before, option)} → ${value(edits, option)}`,
  )
  return ['declared:', ...said, 'edited:', ...edited].join('\n')
}

type Read = <T>(option: string) => T

/** The declaration of a plan. Names of missing resources and fields are left out, because the edit under test removed them. */
export const declarationOf = (plan: Plan): ApiDeclaration => {
  const read: Read = (option) => {
    const values = gateOptions[option]
    if (!values) throw new Error(`there is no option ${option}`)
    return values[plan[option] ?? 0] as never
  }
  const tokens = read<object | null>('api.tokens')
  const cors = read<readonly string[] | null>('api.cors')
  const rate = read<object | null>('api.rate')
  return api('wood', {
    title: read('api.title'),
    description: read('api.description'),
    resources: [trees(read), leaves(read), ...(read('extras') ? [extras] : [])],
    limits: {
      rowsPerRequest: read('api.rowsPerRequest'),
      jsonDepth: read('api.jsonDepth'),
      headerBytes: read('api.headerBytes'),
      idempotencyHours: read('api.idempotencyHours'),
      requestsInFlight: read('api.requestsInFlight'),
      pageMax: read('api.pageMax'),
    },
    rateStoreAway: read('api.rateStoreAway'),
    proxies: read('api.proxies'),
    ...given('unversioned', read('api.unversioned')),
    ...given('rate', rate),
    ...given('cors', cors && { origins: cors }),
    ...given(
      'tokens',
      tokens && {
        jwks: 'http://127.0.0.1:9/jwks',
        issuer: 'https://id.example',
        audience: 'wood',
        ...tokens,
      },
    ),
  } as never)
}

const given = (name: string, value: unknown) => (value === null ? {} : { [name]: value })

const extras = resource('extras', { fields: { text: z.string() } })

const trees = (read: Read): ResourceDeclaration => {
  const hasGuests = read<boolean>('trees.guests') && read<boolean>('leaves.host')
  const by = read<boolean>('leaves.host') ? read<string>('trees.leaves.by') : 'tree'
  const stage = read<[string, object] | null>('trees.stage')
  const total = read<[string, string] | null>('trees.total')
  const fields = {
    ...fieldsOf('trees', ['text', 'count', 'colour', 'doc'], read),
    ...(stage && {
      stage: field.states(stage[0] as never, stage[1] as never, { description: read('trees.stage.words') }),
    }),
    ...(total && { total: field.sum(total[0], total[1], { description: read('trees.total.words') }) }),
  }
  const cap = read<number | null>('trees.leaves.cap')
  const while_ = read<readonly string[]>('trees.deleteOnlyWhile')
  return resource('trees', {
    ...commonOptions('trees', Object.keys(fields), read),
    fields,
    relations: {
      leaves: hasMany('leaves', { by, description: read('trees.leaves.words'), ...given('cap', cap) }),
      ...(hasGuests ? { guests: hasMany('leaves', { by: 'host' }) } : {}),
    },
    include: read<string[]>('trees.include').filter(
      (path) =>
        (path !== 'guests' || hasGuests) &&
        (path !== 'leaves.host' || (read('leaves.host') && by === 'tree')),
    ),
    ...(stage && while_.length > 0 ? { deleteOnlyWhile: { stage: while_ } } : {}),
  } as never) as unknown as ResourceDeclaration
}

const leaves = (read: Read): ResourceDeclaration => {
  const hasHost = read<boolean>('leaves.host')
  const hasGuests = read<boolean>('trees.guests') && hasHost
  const by = hasHost ? read<string>('trees.leaves.by') : 'tree'
  const fields = fieldsOf('leaves', ['text', 'count', 'size', 'flag', 'moment', 'doc'], read)
  const while_ = read<readonly string[]>('leaves.onlyWhile')
  const paths: { readonly [path: string]: boolean } = {
    host: hasHost,
    'tree.leaves': by === 'host',
    'tree.guests': hasGuests,
  }
  return resource('leaves', {
    ...commonOptions('leaves', Object.keys(fields), read),
    fields,
    relations: {
      tree: belongsTo('trees', {
        optional: read<boolean>('leaves.tree.optional'),
        immutable: read('leaves.tree.immutable'),
        onTargetDelete: read('leaves.tree.onTargetDelete'),
        description: read('leaves.tree.words'),
      }),
      ...(hasHost
        ? { host: belongsTo('trees', { optional: true, onTargetDelete: read('leaves.host.onTargetDelete') }) }
        : {}),
    },
    include: read<string[]>('leaves.include').filter((path) => paths[path] ?? true),
    ...given('owner', read('leaves.owner')),
    ...(read('trees.stage') && while_.length > 0 ? { onlyWhile: { tree: { stage: while_ } } } : {}),
  } as never) as unknown as ResourceDeclaration
}

const limitNames = [
  'includeRelations',
  'includeDepth',
  'includeRows',
  'pageDefault',
  'pageMax',
  'bodyBytes',
  'countRows',
]

const commonOptions = (name: string, fields: readonly string[], read: Read): object => {
  const known = (one: string) => fields.includes(one) || one.endsWith('_at')
  const limits = limitNames.map((limit) => given(limit, read(`${name}.${limit}`)))
  const ofThere = (option: string) => read<readonly string[]>(`${name}.${option}`).filter(known)
  const uniques = read<readonly (string | string[])[]>(`${name}.unique`)
  return {
    description: read(`${name}.description`),
    shared: read(`${name}.shared`),
    unique: uniques.filter((set) => [set].flat().every(known)),
    filter: ofThere('filter'),
    sort: ofThere('sort'),
    methods: read(`${name}.methods`),
    idempotencyKey: read(`${name}.idempotencyKey`),
    requireIfMatch: read(`${name}.requireIfMatch`),
    count: read(`${name}.count`),
    cacheControl: read(`${name}.cacheControl`),
    scopes: read(`${name}.scopes`),
    limits: Object.assign({}, ...limits),
    ...given('idPrefix', read(`${name}.idPrefix`)),
    ...given('rate', read(`${name}.rate`)),
  }
}

const fieldsOf = (resource: string, names: readonly string[], read: Read): field.FieldDeclarations =>
  Object.fromEntries(
    names
      .filter((name) => read(`${resource}.${name}.presence`) !== 'absent')
      .map((name) => [name, fieldOf(name, (option) => read(`${resource}.${name}.${option}`))]),
  )

const fieldOf = (name: string, read: Read): z.ZodType => {
  const plain = schemaOf(name, read)
  const words = read<string>('words')
  const [one, other] = defaultsOf[name] ?? [{ a: 1 }, { a: 2 }]
  const presence: { readonly [name: string]: () => z.ZodType } = {
    required: () => plain,
    optional: () => plain.optional(),
    nullable: () => plain.nullable(),
    default: () => plain.default(one as never),
    'other default': () => plain.default(other as never),
  }
  const present = presence[read<string>('presence')]?.() ?? plain
  const described = words === '' ? present : present.describe(words)
  return read<string>('mark')
    .split(' ')
    .reduce((schema, mark) => (marks[mark] ?? ((same) => same))(schema), described)
}

const marks: { readonly [mark: string]: (schema: z.ZodType) => z.ZodType } = {
  readOnly: field.readOnly,
  writeOnly: field.writeOnly,
  immutable: field.immutable,
  open: field.open,
}

const defaultsOf: { readonly [name: string]: readonly [unknown, unknown] } = {
  text: ['abc', 'def'],
  count: [6, 12],
  size: [1, 2],
  colour: ['red', 'green'],
  flag: [true, false],
  moment: ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
}

const schemaOf = (name: string, read: Read): z.ZodType => {
  if (name === 'text') return textOf(read)
  if (name === 'count') return numberOf(read)
  if (name === 'size') return z.int().min(1).max(9)
  if (name === 'colour') return z.enum(read<[string]>('values'))
  if (name === 'flag') return z.boolean()
  if (name === 'moment') return read('type') === 'date' ? z.iso.date() : z.iso.datetime()
  return jsonShapes[read<string>('shape')] ?? z.object({})
}

const textOf = (read: Read): z.ZodType => {
  const pattern = read<string | null>('pattern')
  const format = read<string | null>('format')
  const formats: { readonly [name: string]: () => z.ZodString } = {
    email: () => z.email() as never,
    url: () => z.url() as never,
    uuid: () => z.uuid() as never,
  }
  if (format !== null) return formats[format]?.() ?? z.string()
  const bounded = z.string().min(read('least')).max(read('most'))
  return pattern === null ? bounded : bounded.regex(new RegExp(pattern))
}

const numberOf = (read: Read): z.ZodType => {
  const [least, most, step] = [
    read<number | null>('least'),
    read<number | null>('most'),
    read<number | null>('step'),
  ]
  let schema: z.ZodNumber = read('type') === 'int' ? (z.int() as never) : z.number()
  if (least !== null) schema = schema.min(least)
  if (most !== null) schema = schema.max(most)
  return step === null ? schema : schema.multipleOf(step)
}
