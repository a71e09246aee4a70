import { type Dialect, ident } from '../plan/dialect.ts'
import type { Row, Store } from '../store/store.ts'

/** A retirement that was decided, and perhaps withdrawn. */
export interface Decision {
  readonly version: string
  readonly number: number
  readonly decidedAt: number
  readonly decidedBy: string | null
  /** What it was decided on. */
  readonly evidence: unknown
  readonly withdrawnAt: number | null
  readonly withdrawnBy: string | null
  readonly withdrawnWhy: string | null
}

export interface Deed {
  readonly version: string
  readonly at: number
  readonly by: string | null
}

const table = ident('nounkit_retirements')

const statements = (dialect: Dialect) => {
  const text = (n: number) => dialect.param(n, 'string')
  const number = (n: number) => dialect.param(n, 'integer')
  const evidence = dialect.json('"evidence"', 'json', false)
  return {
    inForce: `SELECT "version" FROM ${table} WHERE "withdrawn_at" IS NULL`,
    all: `SELECT "version", "number", "decided_at", "decided_by", ${evidence}, "withdrawn_at", "withdrawn_by", "withdrawn_why" FROM ${table} ORDER BY "version", "number"`,
    last: `SELECT "number" FROM ${table} WHERE "version" = ${text(1)} ORDER BY "number" DESC LIMIT 1`,
    insert: `INSERT INTO ${table} ("version", "number", "decided_at", "decided_by", "evidence") VALUES (${text(1)}, ${number(2)}, ${number(3)}, ${text(4)}, ${dialect.param(5, 'json')})`,
    withdraw: `UPDATE ${table} SET "withdrawn_at" = ${number(2)}, "withdrawn_by" = ${text(3)}, "withdrawn_why" = ${text(4)} WHERE "version" = ${text(1)} AND "withdrawn_at" IS NULL RETURNING "number"`,
  }
}

/** The names of the versions that are retired now. */
export async function readRetired(store: Store): Promise<ReadonlySet<string>> {
  const rows = await store.all(statements(store.dialect).inForce, [])
  return new Set(rows.map(([version]) => String(version)))
}

/** Every decision there ever was, oldest first. */
export async function readDecisions(store: Store): Promise<readonly Decision[]> {
  return (await store.all(statements(store.dialect).all, [])).map(decisionOf)
}

/** Of two that decide at once, one fails on the number they both take. */
export async function storeDecision(store: Store, deed: Deed, evidence: unknown): Promise<void> {
  const sql = statements(store.dialect)
  await store.transaction(async (tx) => {
    const last = Number((await tx.first(sql.last, [deed.version]))?.[0] ?? 0)
    await tx.all(sql.insert, [deed.version, last + 1, deed.at, deed.by, JSON.stringify(evidence)])
  })
}

/** Whether there was anything to withdraw. */
export async function withdrawDecision(store: Store, deed: Deed, why: string | null): Promise<boolean> {
  const sql = statements(store.dialect)
  const rows = await store.transaction((tx) => tx.all(sql.withdraw, [deed.version, deed.at, deed.by, why]))
  return rows.length > 0
}

const decisionOf = (row: Row): Decision => {
  const [version, number, decidedAt, decidedBy, evidence, withdrawnAt, withdrawnBy, withdrawnWhy] = row
  return {
    version: String(version),
    number: Number(number),
    decidedAt: Number(decidedAt),
    decidedBy: textOrNull(decidedBy),
    evidence: JSON.parse(String(evidence)),
    withdrawnAt: withdrawnAt === null || withdrawnAt === undefined ? null : Number(withdrawnAt),
    withdrawnBy: textOrNull(withdrawnBy),
    withdrawnWhy: textOrNull(withdrawnWhy),
  }
}

const textOrNull = (value: Row[number] | undefined): string | null =>
  value === null || value === undefined ? null : String(value)
