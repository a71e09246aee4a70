import type { Field, Model } from '../../compile/model.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { compareSchemas } from '../../compile/schemas/schema-difference.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import { metaFacts, readMeta, upsertMeta } from '../../store/meta.ts'
import type { Transaction } from '../../store/store.ts'

/** What the rows of a table are known to hold. Columns alone do not tell: SQLite has one type for texts, dates and JSON. */
export interface StoredShape {
  readonly [table: string]: { readonly [column: string]: ColumnShape }
}

export interface ColumnShape {
  readonly kind: FieldKind
  /** Every value of the column is valid by it; null where that is not known. */
  readonly schema: JsonSchema | null
  /** For a reference: the table that it refers to. */
  readonly target: string | null
  /** Whether the values are computed, as a sum. */
  readonly sum: boolean
  /** True where events do not have its values, because they are never shown. */
  readonly writeOnly?: boolean
}

const { key } = metaFacts.shape

const columnShape = ({ kind, schema, relation, sum, writeOnly }: Field): ColumnShape => ({
  kind,
  schema,
  target: relation?.target.table ?? null,
  sum: sum !== null,
  ...(writeOnly && { writeOnly }),
})

export const shapeOf = (model: Model): StoredShape =>
  Object.fromEntries(
    [...model.stored.values()].map(({ table, fields }) => [
      table,
      Object.fromEntries(fields.map((field) => [field.column, columnShape(field)])),
    ]),
  )

/** Null for a new store, and for one that was published from the beginning. */
export async function readShape(on: Pick<Transaction, 'all'>): Promise<StoredShape | null> {
  return JSON.parse((await readMeta(on, key)) ?? 'null')
}

/** The statement that records a shape. */
export const recordShape = (shape: StoredShape): string => upsertMeta(key, JSON.stringify(shape))

/**
 * The shape after a start that only added to the store. A column that is no longer declared keeps its entry. Where fewer values are
 * allowed than before, a process of the older declaration may still write others, so that the schema is not known.
 */
export function grownShape(before: StoredShape | null, declared: StoredShape): StoredShape {
  const tables: { [table: string]: { [column: string]: ColumnShape } } = {}
  for (const [table, columns] of Object.entries({ ...before, ...declared })) {
    const known = before?.[table] ?? {}
    tables[table] = { ...known }
    for (const [column, now] of Object.entries(columns)) {
      const then = known[column]
      const holds =
        then === undefined || (then.kind === now.kind && then.target === now.target && !isNarrower(then, now))
      tables[table][column] = holds ? now : { ...now, schema: null }
    }
  }
  return tables
}

/** Whether fewer values are allowed than before, so that an older process could write one that is not. */
export function isNarrower(before: ColumnShape, { schema }: Pick<ColumnShape, 'schema'>): boolean {
  if (!before.schema || !schema) return true
  if (sameJson(before.schema, schema)) return false
  return compareSchemas(before.schema, schema).some(({ request }) => request === 'breaking')
}
