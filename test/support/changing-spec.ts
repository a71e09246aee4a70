import fc from 'fast-check'
import { z } from 'zod'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import { was } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'

/** A declaration of one resource as data, and the changes that a person could make of it. */

interface Type {
  readonly schema: () => z.ZodType
  readonly samples: readonly unknown[]
  /** The value that means the same as one of another type, found from its text; undefined where there is none. */
  from(text: string, value: unknown): unknown
}

const colors = ['red', 'true', '7'] as const
const decimalForm = /^(-?(?:0|[1-9]\d{0,11}))(?:\.(\d{1,6}))?$/

export const types: { readonly [name: string]: Type } = {
  text: {
    schema: () => z.string().max(40),
    samples: ['1', '-7', '3.50', 'true', 'red', '2026-02-01', "it's", ''],
    from: (text) => text,
  },
  short: {
    schema: () => z.string().max(3),
    samples: ['1', '-7', 'red', ''],
    from: (text) => (text.length <= 3 ? text : undefined),
  },
  integer: { schema: () => z.int(), samples: [0, 1, 7, -12, 500], from: (text, value) => whole(text, value) },
  small: {
    schema: () => z.int().max(9),
    samples: [0, 1, 7],
    from: (text, value) => {
      const found = whole(text, value)
      return found !== undefined && found <= 9 ? found : undefined
    },
  },
  boolean: {
    schema: () => z.boolean(),
    samples: [true, false],
    from: (text, value) => {
      if (value === 0 || value === 1) return value === 1
      return text === 'true' ? true : text === 'false' ? false : undefined
    },
  },
  decimal: {
    schema: () => decimal({ scale: 2 }),
    samples: ['1.00', '3.50', '-0.25'],
    from: (text) => {
      const [, sign, digits = ''] = decimalForm.exec(text) ?? []
      const fits = sign !== undefined && /^\d{0,2}0*$/.test(digits)
      return fits ? `${sign}.${digits.slice(0, 2).padEnd(2, '0')}` : undefined
    },
  },
  color: {
    schema: () => z.enum(colors),
    samples: colors,
    from: (text) => (colors.some((color) => color === text) ? text : undefined),
  },
  date: {
    schema: () => z.iso.date(),
    samples: ['2026-02-01', '1999-12-31'],
    from: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined),
  },
}

/** Decimals are whole numbers where only zeros follow the point. */
const whole = (text: string, value: unknown): number | undefined => {
  if (typeof value === 'boolean') return value ? 1 : 0
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}

type Mode = 'required' | 'optional' | 'default'

export interface FieldSpec {
  readonly name: string
  readonly type: string
  readonly mode: Mode
  /** The name in the declaration before, if it was renamed. */
  readonly was?: string
}

export interface Spec {
  readonly resource: string
  readonly was?: string
  readonly fields: readonly FieldSpec[]
}

const typeOf = (name: string): Type => types[name] ?? (types.text as Type)
export const sampleOf = ({ type }: FieldSpec, at: number): unknown => {
  const { samples } = typeOf(type)
  return samples[at % samples.length]
}
const defaultOf = (field: FieldSpec): unknown => sampleOf(field, 1)
export const fillOf = (field: FieldSpec): unknown => sampleOf(field, 0)
/** Some optional fields get a value for rows whose value is gone, too. */
export const isFilled = ({ type, mode }: FieldSpec): boolean =>
  mode === 'required' || (mode === 'optional' && /^(text|integer|color|date)$/.test(type))

export function declarationOf({ resource: name, was: former, fields }: Spec): ApiDeclaration {
  const declared = fields.map((field) => {
    const schema = typeOf(field.type).schema()
    const moded =
      field.mode === 'optional'
        ? schema.optional()
        : field.mode === 'default'
          ? schema.default(defaultOf(field))
          : schema
    return [field.name, field.was ? was(field.was, moded) : moded]
  })
  const options = { fields: Object.fromEntries(declared), ...(former && { was: former }) }
  return api('changing', { resources: [resource(name, options)], events: { keepDays: 30 } })
}

export type Values = { readonly [field: string]: unknown }

/** A row moved by hand into the next declaration, and how many values are lost on the way. */
export function moved(
  row: Values,
  before: Spec,
  after: Spec,
): { readonly row: Values; readonly lost: number } {
  const next: { [field: string]: unknown } = {}
  const taken = new Set<string>()
  let lost = 0
  for (const field of after.fields) {
    const isNew = !field.was && after.fields.some(({ was: former }) => former === field.name)
    const source = isNew ? undefined : before.fields.find(({ name }) => name === (field.was ?? field.name))
    if (source) taken.add(source.name)
    const value = source ? row[source.name] : null
    const kept = source && value !== null ? cast(value, source, field) : undefined
    if (value !== null && kept === undefined) lost++
    const wasUnset = source !== undefined && value === null
    next[field.name] = kept ?? (field.mode === 'optional' && wasUnset ? null : replacementOf(field))
  }
  for (const { name } of before.fields) if (!taken.has(name) && row[name] !== null) lost++
  return { row: next, lost }
}

const replacementOf = (field: FieldSpec): unknown =>
  isFilled(field) ? fillOf(field) : field.mode === 'default' ? defaultOf(field) : null

function cast(value: unknown, from: FieldSpec, to: FieldSpec): unknown {
  const text = String(value)
  // Only a number is written without its zeros: the text "3.00" is no whole number.
  const shown =
    from.type === 'decimal' && /^(integer|small)$/.test(to.type) ? text.replace(/\.00$/, '') : text
  return typeOf(to.type).from(shown, value)
}

type Op =
  | { readonly op: 'add'; readonly type: string; readonly mode: Mode }
  | { readonly op: 'drop' | 'rename' | 'follow'; readonly at: number }
  | { readonly op: 'retype'; readonly at: number; readonly type: string }
  | { readonly op: 'mode'; readonly at: number; readonly mode: Mode }
  | { readonly op: 'resource' }

const type = fc.constantFrom(...Object.keys(types))
const mode = fc.constantFrom<Mode>('required', 'optional', 'default')
const at = fc.nat(9)

export const ops: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ op: fc.constant('add' as const), type, mode }),
  fc.record({ op: fc.constantFrom('drop' as const, 'rename' as const), at }),
  { arbitrary: fc.record({ op: fc.constant('follow' as const), at }), weight: 2 },
  { arbitrary: fc.record({ op: fc.constant('retype' as const), at, type }), weight: 3 },
  fc.record({ op: fc.constant('mode' as const), at, mode }),
  fc.record({ op: fc.constant('resource' as const) }),
)

/** The next declaration. `fresh` gives names that were never used. */
export function changed(before: Spec, changes: readonly Op[], fresh: () => string): Spec {
  // What was declared as renamed before is done.
  let spec: Spec = { resource: before.resource, fields: before.fields.map(({ was: _, ...field }) => field) }
  for (const change of changes) spec = applied(spec, change, before, fresh)
  return spec
}

function applied(spec: Spec, change: Op, before: Spec, fresh: () => string): Spec {
  const { fields } = spec
  const position = 'at' in change && fields.length > 0 ? change.at % fields.length : -1
  const edited = (edit: (field: FieldSpec) => FieldSpec): Spec => ({
    ...spec,
    fields: fields.map((field, index) => (index === position ? edit(field) : field)),
  })
  switch (change.op) {
    case 'add':
      return { ...spec, fields: [...fields, { name: fresh(), type: change.type, mode: change.mode }] }
    case 'drop': {
      // The store would have both names then, and the declaration says nothing of the second one's values.
      const isTaken = fields.some(({ name }) => name === fields[position]?.was)
      return fields.length < 2 || isTaken
        ? spec
        : { ...spec, fields: fields.filter((_, index) => index !== position) }
    }
    case 'rename':
      return edited((field) => {
        const was = field.was ?? field.name
        const known = before.fields.some(({ name }) => name === was)
        return { ...field, name: fresh(), ...(known && { was }) }
      })
    case 'follow': {
      const next = afterTaking(fields, position, before, fresh)
      return next ? { ...spec, fields: next } : spec
    }
    case 'retype':
      return edited((field) => ({ ...field, type: change.type }))
    case 'mode':
      return edited((field) => ({ ...field, mode: change.mode }))
    case 'resource':
      return { ...spec, resource: `${fresh()}s`, was: before.resource }
  }
}

/** A field gets the name that another one had before, which gets a new one if it still has it; null where that would swap names. */
function afterTaking(
  fields: readonly FieldSpec[],
  position: number,
  before: Spec,
  fresh: () => string,
): readonly FieldSpec[] | null {
  const left = fields[(position + 1) % fields.length]
  const taken = left?.was ?? left?.name
  if (!left || fields.length < 2 || !before.fields.some(({ name }) => name === taken)) return null
  const holder = fields.find(({ name }) => name === taken)
  if (holder && holder !== left) return null
  const next = fields.map((field, index): FieldSpec => {
    if (field === holder) return { ...field, name: fresh(), was: field.name }
    if (index !== position) return field
    const { name, was: former, ...rest } = field
    const was = former ?? name
    return { ...rest, name: String(taken), ...(before.fields.some((one) => one.name === was) && { was }) }
  })
  return hasCycle(next) ? null : next
}

function hasCycle(fields: readonly FieldSpec[]): boolean {
  const formerOf = new Map(fields.map(({ name, was }) => [name, was]))
  return fields.some(({ name }) => {
    let at = formerOf.get(name)
    for (let hops = 0; hops < fields.length && at !== undefined && at !== name; hops++) at = formerOf.get(at)
    return at === name
  })
}
