import type { JsonSchema } from '../../declare/json-schema.ts'
import { stringFormats } from '../../kinds/kinds.ts'
import { rewritesOf } from '../../kinds/rewrites.ts'
import { isMultiple } from './multiples.ts'
import { broken, differenceAt, narrower, type SchemaDifferences, wider } from './schema-verdict.ts'

/** The values that a schema lists, by their JSON. */
const listed = (schema: JsonSchema): ReadonlyMap<string, unknown> | null => {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return values ? new Map(values.map((value) => [JSON.stringify(value), value])) : null
}

export const compareValues = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const [before, after] = [listed(from), listed(to)]
  if (before === null && after === null) return []
  if (before === null)
    return differenceAt(
      at,
      `became one of ${[...(after?.keys() ?? [])].join(', ')} (type narrowed)`,
      narrower,
    )
  if (after === null) return differenceAt(at, 'is no longer one of listed values (type widened)', wider)
  const come = [...after].filter(([json]) => !before.has(json))
  const gone = [...before].filter(([json]) => !after.has(json))
  return [
    ...come.flatMap(([json, value]) =>
      differenceAt(at, `value ${json} was added`, wider, { kind: 'value added', value }),
    ),
    ...gone.flatMap(([json, value]) =>
      differenceAt(at, `value ${json} was removed`, narrower, { kind: 'value removed', value }),
    ),
  ]
}

export const compareFormats = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  if (from.format !== to.format)
    return differenceAt(at, `format ${from.format ?? 'none'} became ${to.format ?? 'none'}`, broken)
  const changes = stringFormats[from.format ?? '']?.compare(from, to) ?? []
  return changes.flatMap(({ what, values }) =>
    differenceAt(at, what, { more: wider, fewer: narrower, other: broken }[values]),
  )
}

/** What is sent is shown in another form, and other values are taken for the same. */
export const compareRewrites = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const [before, after] = [from, to].map((schema) => rewritesOf(schema).join(' and ') || 'nothing')
  return before === after
    ? []
    : differenceAt(at, `rewriting of what is sent: ${before} became ${after}`, broken)
}

export const comparePatterns = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  if (from.pattern === to.pattern) return []
  if (from.pattern === undefined) return differenceAt(at, `pattern ${to.pattern} was newly set`, narrower)
  if (to.pattern === undefined) return differenceAt(at, `pattern ${from.pattern} was dropped`, wider)
  return differenceAt(at, `pattern ${from.pattern} became ${to.pattern}`, broken)
}

const none = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }

export const compareBounds = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => [
  ...(['minLength', 'minItems'] as const).flatMap((name) =>
    compareEdges({ name, at: from[name] ?? 0 }, { name, at: to[name] ?? 0 }, at, 0),
  ),
  ...compareEdges(lowerEdge(from), lowerEdge(to), at, none.least),
  ...(['maxLength', 'maxItems'] as const).flatMap((name) =>
    compareEdges({ name, at: from[name] ?? none.most }, { name, at: to[name] ?? none.most }, at, none.most),
  ),
  ...compareEdges(upperEdge(from), upperEdge(to), at, none.most),
]

/** Where the values of a schema end. */
interface Edge {
  readonly name: string
  readonly at: number
  /** The value itself is no longer one of them. */
  readonly beyond?: true
}

const lowerEdge = ({ minimum = none.least, exclusiveMinimum = none.least }: JsonSchema): Edge =>
  exclusiveMinimum >= minimum && exclusiveMinimum > none.least
    ? { name: 'exclusiveMinimum', at: exclusiveMinimum, beyond: true }
    : { name: 'minimum', at: minimum }

const upperEdge = ({ maximum = none.most, exclusiveMaximum = none.most }: JsonSchema): Edge =>
  exclusiveMaximum <= maximum && exclusiveMaximum < none.most
    ? { name: 'exclusiveMaximum', at: exclusiveMaximum, beyond: true }
    : { name: 'maximum', at: maximum }

const compareEdges = (from: Edge, to: Edge, at: string, nothing: number): SchemaDifferences => {
  if (from.at === to.at && from.beyond === to.beyond) return []
  const show = (edge: Edge) => (edge.at === nothing ? 'none' : edge.at)
  const outward = nothing === none.most ? to.at > from.at : to.at < from.at
  const relaxed = outward || (to.at === from.at && from.beyond === true)
  const became = from.name === to.name ? show(to) : `${to.name} ${show(to)}`
  return differenceAt(at, `${from.name} ${show(from)} became ${became}`, relaxed ? wider : narrower)
}

export const compareSteps = (
  { multipleOf: from }: JsonSchema,
  { multipleOf: to }: JsonSchema,
  at: string,
): SchemaDifferences => {
  if (from === to) return []
  const what = `multipleOf ${from ?? 'none'} became ${to ?? 'none'}`
  if (to === undefined || (from !== undefined && isMultiple(from, to))) return differenceAt(at, what, wider)
  const shrank = from === undefined || isMultiple(to, from)
  return differenceAt(at, what, shrank ? narrower : broken)
}
