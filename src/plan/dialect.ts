import type { FieldKind } from '../compile/model.ts'

/** All that differs between databases in the text of a statement. Nothing else may ask which database it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** The n-th bound value, from 1. With a kind, cast so that it has that column's type even where nothing else tells. */
  param(n: number, kind?: FieldKind): string
  /** An SQL expression for the JSON text of a column's value; never NULL (`null` for one). */
  json(expression: string, kind: FieldKind): string
  /** JSON text for a text expression that may be NULL. */
  quote(expression: string): string
  /** Joins the `text` of the rows of a subquery in their order. */
  join(expression: string, separator: string, order: string): string
  /** `FOR UPDATE` where rows are locked one by one, nothing where a transaction has the whole store. */
  readonly forUpdate: string
  readonly forShare: string
  /** The column's type in a table. */
  columnType(kind: FieldKind): string
  /** An expression as `text`. */
  text(expression: string): string
  /** An ORDER BY term with NULLs first ascending and last descending, and strings by code point. */
  orderBy(expression: string, kind: FieldKind, descending: boolean): string
}

/** Identifiers come from the compiled model (checked names), never from a request; quoting is for reserved words. */
export const ident = (name: string): string => `"${name}"`
