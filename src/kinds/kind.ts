import type { JsonSchema } from '../declare/json-schema.ts'

/**
 * Everything that a field kind means, in one place. A kind is an object of this type in a file of its own and a line in the table of
 * `kinds.ts`. Every member must be answered: the compiler names those that a new kind lacks. What most kinds answer is in `usual.ts`.
 */
export interface Kind {
  // ---- declaration
  /**
   * Whether a Zod schema declares a field of this kind, given Zod's name of its type and its JSON Schema. Kinds are asked in the order
   * of the table. Null for kinds that are declared in another way (ids, references, states).
   */
  readonly readsZod: ((zodType: string, schema: JsonSchema) => boolean) | null
  /** The string formats of JSON Schema that belong to this kind, by name. */
  readonly formats: { readonly [format: string]: StringFormat }
  /** The schema lists every value (`enum`), so that values can be mapped between versions and named in rules. */
  readonly listsValues: boolean
  /** Whether `open()` can mark the field: more values may be listed later. */
  readonly canBeOpen: boolean
  /** Why the field can be in no filter, sort or unique set; null where it can. */
  readonly notQueryable: string | null
  /** Whether values are any text: it can be rewritten (`.trim()`, `.toLowerCase()`) before it is stored, and rows are found by its words. */
  readonly isFreeText: boolean
  /** How values are summed; null where sums would not be exact or make no sense. */
  readonly sum: Summing | null

  // ---- values
  /** The one form in which a valid value is stored and shown; undefined where the store cannot hold the value. */
  toStored(value: unknown, schema: JsonSchema): unknown
  /** Whether a value from a cursor is a stored value of this kind. */
  isStored(value: unknown): boolean
  /**
   * What JSON shows of a value of another kind, as a value of this one; undefined where that would change what it means. `from` is the name
   * of the other kind, `string` for a text of a file or a command line. The value is not null.
   */
  fromOther(value: unknown, from: string, schema: JsonSchema): unknown
  /** A stored value as it is bound to a statement, the same on every store. */
  bind(value: unknown, schema: JsonSchema): string | number
  /** The most bytes that a stored text has; Infinity where the schema sets no bound. Null for kinds whose values are all short. */
  readonly mostBytes: ((schema: JsonSchema) => number) | null
  /** A merge patch changes members of the value (RFC 7396) instead of replacing it. */
  readonly mergesPatches: boolean

  // ---- stores
  readonly sqlite: KindInSql
  readonly postgres: KindInSql

  // ---- rules
  /**
   * Kinds with equal names here are stored in columns that SQL can compare with each other, and are written alike in JSON: a body does not
   * change when one becomes another.
   */
  readonly comparedAs: string
  /** A moment, as UTC with milliseconds, as a value of this kind; null for kinds that are no time. */
  readonly atTime: ((moment: string) => unknown) | null

  // ---- filters and sorting
  /** Values have an order that consumers can compare by (`gt`, `gte`, `lt`, `lte`). */
  readonly isOrdered: boolean
  /** The value that a query writes as this text; undefined for a text that is no value of the kind. */
  parse(text: string, schema: JsonSchema): unknown
  /**
   * For a text between two values that the store can hold: what a refusal says of it. `parse` gives the lower one of the two, and null
   * is for every other text.
   */
  finerThanStored(text: string): string | null
  /** For messages about values that `parse` refuses: "an integer". */
  filterValueNoun(schema: JsonSchema): string

  // ---- documents
  /** The OpenAPI schema of one filter value. */
  filterSchema(schema: JsonSchema, where: FilterPlace): JsonSchema
  /** The type as people are shown it, where that is not the name of the kind. */
  typeName?(schema: JsonSchema): string
}

export interface FilterPlace {
  /** The value is one of several that commas separate. */
  readonly inList: boolean
  /** Values are compared by their order, so that a value between two stored ones makes sense too. */
  readonly compares: boolean
  /**
   * The word `null` is a value too. The schema is then a string with a pattern: generators make no usable type of two schemas in one
   * parameter.
   */
  readonly orNull: boolean
}

/** A kind in the SQL of one database. */
export interface KindInSql {
  /** The type of a column, as the database's catalogue writes it (SQLite: in upper case). */
  readonly type: string
  /** A bound value as a value of the column's type; `placeholder` is `?1` or `$1`. */
  param(placeholder: string): string
  /** The JSON text of a value. */
  json(expression: string, schema: JsonSchema): JsonText
  /** A value as a literal, for the default of a column. */
  literal(value: unknown): string
}

/** SQL that gives the JSON text of a value. */
export interface JsonText {
  readonly sql: string
  /** The SQL gives the text between the quotes of a JSON string, which needs no escaping. */
  readonly isQuoted: boolean
  /** The SQL gives the text `null` for NULL. Other SQL gives NULL for NULL. */
  readonly writesNull: boolean
}

/** How sums over values of a kind are kept. */
export interface Summing {
  /** A factor of this kind leaves the kind of a product as it is: only one factor may be of another kind. */
  readonly isCount: boolean
  /** The schema of a sum over a field with this schema. */
  schema(summand: JsonSchema): JsonSchema
  /** The sum of no rows. */
  zero(summand: JsonSchema): unknown
  /** The largest sum that every store holds exactly. The smallest is its negative. */
  readonly largest: unknown
  /** A value as a number of the smallest unit in which values of the kind are counted. */
  units(value: unknown): bigint
  /** The sum that is so many units, for a field with this schema; undefined beyond the largest. */
  ofUnits(units: bigint, schema: JsonSchema): unknown
}

/** A `format` of JSON Schema: strings with rules that other keywords cannot say. */
export interface StringFormat {
  /** Zod's name of the format, as in `z.iso.date()`. */
  readonly zodName: string
  /** Keywords of our own (`x-…`) that belong to the format and stay in the schema. */
  readonly keywords: readonly `x-${string}`[]
  /** For messages: "a date such as 2026-06-01". */
  noun(schema: JsonSchema): string
  test(value: string, schema: JsonSchema): boolean
  /** Keywords of JSON Schema by which other programs can check what `test` checks. */
  checks(schema: JsonSchema): CheckedSchema
  example(schema: JsonSchema): string
  /** How the format is declared, as source: `z.iso.date()`. */
  source(schema: JsonSchema): string
  /** How values changed with the format's own keywords. */
  compare(from: JsonSchema, to: JsonSchema): readonly FormatChange[]
}

/** A schema in documents, which can say more than a field's own. */
export interface CheckedSchema extends JsonSchema {
  readonly not?: JsonSchema
}

export interface FormatChange {
  readonly what: string
  /** More values are allowed, or fewer, or other ones. */
  readonly values: 'more' | 'fewer' | 'other'
}
