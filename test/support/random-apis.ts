import fc from 'fast-check'
import { z } from 'zod'
import * as change from '../../src/declare/change.ts'
import { type FieldDeclaration, open, states, writeOnly } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'

/** A declaration, and changes that can be taken back from it together: no two touch the same thing. */
export interface RandomApi {
  readonly resources: readonly ResourceDeclaration<never, never>[]
  readonly changes: readonly change.Change[]
}

interface FieldPlan {
  readonly schema: FieldDeclaration
  /** Changes that the field may have had, given its name. */
  readonly changes: readonly ((resource: string, field: string) => change.Change)[]
}

const why = 'generated'
const renamed = (resource: string, field: string) => change.renameField(resource, `old_${field}`, field)
const added = (whenAbsent: string | number) => (resource: string, field: string) =>
  change.addRequiredField(resource, field, { whenAbsent })
const required = (whenAbsent: string | number) => (resource: string, field: string) =>
  change.makeRequired(resource, field, { whenAbsent, why })
const mapped =
  (values: { [old: string]: string }, onlyInNewer: { [newer: string]: string } = {}) =>
  (resource: string, field: string) =>
    change.mapValues(resource, field, values, { onlyInNewer, why })
const typed = (was: z.ZodType, codec: change.CodecName) => (resource: string, field: string) =>
  change.changeType(resource, field, { was, codec, why })
const defaulted = (was: string | number | boolean) => (resource: string, field: string) =>
  change.changeDefault(resource, field, { was })
const unfiltered = (resource: string, field: string) => change.removeFilter(resource, field)
const unsorted = (resource: string, field: string) => change.removeSort(resource, field)
const made = (resource: string, field: string) =>
  change.custom(resource, {
    fields: { [`raw_${field}`]: z.int() },
    replaces: [field],
    up: (older) => ({ [field]: Number(older[`raw_${field}`]) / 2 }),
    down: (newer) => ({ [`raw_${field}`]: Number(newer[field]) * 2 }),
    samples: [{ older: { [`raw_${field}`]: 8 }, newer: { [field]: 4 } }],
  })

const colours = z.enum(['red', 'green', 'blue'])
const plans: { readonly [kind: string]: FieldPlan } = {
  text: { schema: z.string().max(20), changes: [renamed, added('x'), required('x'), unfiltered, unsorted] },
  note: { schema: z.string().max(20).optional(), changes: [renamed, unfiltered, unsorted] },
  count: {
    schema: z.int().min(0).max(1000),
    changes: [
      renamed,
      added(1),
      required(1),
      typed(z.string(), 'integer-as-string'),
      typed(z.string(), 'cents-as-decimal-string'),
      made,
    ],
  },
  flag: {
    schema: z.boolean().default(true),
    changes: [renamed, defaulted(false), typed(z.int().default(1), 'boolean-as-integer')],
  },
  moment: { schema: z.iso.datetime(), changes: [renamed, typed(z.int(), 'datetime-as-unix-seconds')] },
  colour: {
    schema: colours,
    changes: [
      renamed,
      mapped({ crimson: 'red' }),
      mapped({}, { blue: 'green' }),
      added('red'),
      required('red'),
    ],
  },
  tint: {
    schema: open(colours),
    changes: [renamed, mapped({}, { blue: 'green' }), mapped({ crimson: 'red' })],
  },
  secret: {
    schema: writeOnly(colours),
    changes: [mapped({}, { blue: 'green' }), mapped({ crimson: 'red' })],
  },
  stage: {
    schema: states('new', { new: ['open', 'gone'], open: ['gone', 'lost'] }),
    changes: [renamed, mapped({ fresh: 'new' }), mapped({}, { lost: 'gone' })],
  },
}

type ResourceChange = (resource: string) => change.Change
const resourceChanges: readonly ResourceChange[] = [
  (name) => change.renameResource(`old-${name}`, name),
  (name) => change.removeField(name, 'fax', { was: z.string().max(9).optional() }),
  (name) => change.removeField(name, 'code', { was: z.string(), whenAbsent: 'none' }),
  (name) => change.changeLimit(name, 'pageMax', { was: 200 }),
  (name) => change.changeLimit(name, 'pageMax', { was: 20 }),
  (name) => change.changeLimit(name, 'bodyBytes', { was: 5 }),
  (name) => change.requireIdempotencyKey(name),
  (name) => change.requireScope(name, 'GET', { was: 'authenticated' }),
  (name) => change.removeMethod(name, 'DELETE'),
]
const relationChanges: readonly ResourceChange[] = [
  () => change.renameRelation('leaves', 'home', 'tree'),
  () => change.renameRelation('trees', 'sheets', 'leaves'),
  () => change.removeInclude('leaves', 'tree'),
  () => change.removeInclude('trees', 'leaves'),
]

const arbitraryFields = fc.uniqueArray(fc.constantFrom(...Object.keys(plans)), { minLength: 1, maxLength: 5 })

const declare = (name: string, fields: readonly string[], relations: object) =>
  resource(name, {
    fields: Object.fromEntries(fields.map((field) => [field, plans[field]?.schema ?? z.string()])),
    relations,
    methods: ['GET', 'POST', 'PUT', 'PATCH'],
    idempotencyKey: 'required',
    limits: { pageMax: 50 },
  } as never) as ResourceDeclaration<never, never>

/** At most one change per field, one per resource and one per relation, so that no two collide. */
export const randomApi: fc.Arbitrary<RandomApi> = fc
  .record({
    trees: arbitraryFields,
    leaves: arbitraryFields,
    picks: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    density: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ trees, leaves, picks, density }) => {
    let turn = 0
    const pick = <T>(from: readonly T[]): readonly T[] => {
      const number = picks[turn++ % picks.length] ?? 0
      return number % density === 0 ? from.slice(number % from.length, (number % from.length) + 1) : []
    }
    const ofResource = (name: string, fields: readonly string[]) => [
      ...fields.flatMap((field) => pick(plans[field]?.changes ?? []).map((make) => make(name, field))),
      ...pick(resourceChanges).map((make) => make(name)),
    ]
    return {
      resources: [
        declare('trees', trees, { leaves: hasMany('leaves') }),
        declare('leaves', leaves, { tree: belongsTo('trees') }),
      ],
      changes: [
        ...ofResource('trees', trees),
        ...ofResource('leaves', leaves),
        ...pick(relationChanges).map((make) => make('')),
      ],
    }
  })
