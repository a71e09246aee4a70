import type { Row, Value } from '../store.ts'

/** A value as drivers bind it and as they read it. */
export type DriverValue = Value | bigint

/** A prepared statement of node:sqlite or bun:sqlite. */
export interface DriverStatement {
  get(...values: DriverValue[]): Row | undefined
  all(...values: DriverValue[]): Row[]
  run(...values: DriverValue[]): { readonly changes: number | bigint }
}

/** A connection of node:sqlite or bun:sqlite. It waits for no lock, and has the SQL function `nounkit_number`. */
export interface DriverConnection {
  prepare(sql: string): DriverStatement
  /** Frees a statement that is used no more. */
  finish(statement: DriverStatement): void
  exec(sql: string): void
  readonly inTransaction: boolean
  /** Call it once, when all statements are finished. */
  close(): void
}

export interface DriverOptions {
  readonly readOnly: boolean
  readonly foreignKeys: boolean
}

/** A number as JSON, for the SQL function nounkit_number. */
export const jsonNumber = (value: unknown): string => JSON.stringify(value ?? null)
