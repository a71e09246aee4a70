import type { FieldKind } from '../kinds/kinds.ts'
import type { BoundValue } from './bind.ts'
import type { Dialect } from './dialect.ts'
import { Binds } from './statement.ts'

/** A statement and its values, in the order in which they are mentioned. */
export interface Bound {
  readonly text: string
  readonly values: readonly BoundValue[]
}

/** Gives the parameter of a value. */
export type Bind = (kind: FieldKind, value: BoundValue) => string

/** Makes statements: `bind` gives the parameter of a value. The same text with other values is the same statement for the database. */
export function statement(dialect: Dialect, write: (bind: Bind) => string): Bound {
  const values: BoundValue[] = []
  const binds = new Binds(dialect)
  const text = write((kind, value) => binds.use(values.push(value) - 1, kind))
  return { text, values }
}
