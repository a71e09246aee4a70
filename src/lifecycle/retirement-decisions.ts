import { statement } from '../plan/bound-statement.ts'
import { type Dialect, ident } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import { numberOrNull, type Row, type Store, textOrNull } from '../store/store.ts'
import { recordActIn } from '../write/recorded-acts.ts'

/** A retirement that was decided, and perhaps withdrawn. */
export interface Decision {
  readonly version: string
  readonly number: number
  readonly decidedAt: number
  readonly decidedBy: string | null
  /** The facts it was decided on. */
  readonly evidence: unknown
  readonly withdrawnAt: number | null
  readonly withdrawnBy: string | null
  readonly withdrawnWhy: string | null
}

/** Who decides or withdraws what, and when. */
export interface Action {
  readonly version: string
  readonly at: number
  readonly by: string | null
}

const table = ident('nounkit_retirements')

/** The names of the versions that are retired now. */
export const selectRetired = `SELECT "version" FROM ${table} WHERE "withdrawn_at" IS NULL`

const statements = (dialect: Dialect) => {
  const shown = dialect.json('"evidence"', 'json', false)
  return {
    all: `SELECT "version", "number", "decided_at", "decided_by", ${shown}, "withdrawn_at", "withdrawn_by", "withdrawn_why" FROM ${table} ORDER BY "version", "number"`,
    insert: ({ version, at, by }: Action, evidence: unknown) =>
      statement(dialect, (bind) => {
        const name = bind('string', version)
        const values = `${bind('integer', at)}, ${bind('string', by)}, ${bind('json', JSON.stringify(evidence))}`
        return `INSERT INTO ${table} ("version", "number", "decided_at", "decided_by", "evidence") SELECT ${name}, coalesce(max("number"), 0) + 1, ${values} FROM ${table} WHERE "version" = ${name} HAVING count(*) = count("withdrawn_at") ON CONFLICT DO NOTHING RETURNING "number"`
      }),
    withdraw: ({ version, at, by }: Action, why: string | null) =>
      statement(
        dialect,
        (bind) =>
          `UPDATE ${table} SET "withdrawn_at" = ${bind('integer', at)}, "withdrawn_by" = ${bind('string', by)}, "withdrawn_why" = ${bind('string', why)} WHERE "version" = ${bind('string', version)} AND "withdrawn_at" IS NULL RETURNING "number"`,
      ),
  }
}

/** The names of the versions that are retired now. */
export async function readRetired(store: Store): Promise<ReadonlySet<string>> {
  const rows = await store.all(selectRetired, [])
  return new Set(rows.map(([version]) => String(version)))
}

/** Every decision, withdrawn ones included, oldest first. */
export async function readDecisions(store: Store): Promise<readonly Decision[]> {
  return (await store.all(statements(store.dialect).all, [])).map(decisionOf)
}

/** The decision by which a version is retired now. */
export const decisionInForce = (decisions: readonly Decision[], name: string): Decision | null =>
  decisions.findLast((one) => one.version === name && one.withdrawnAt === null) ?? null

/** False when a decision is already in force. Of two processes that decide at once, the second finds the decision or the number taken. */
export async function storeDecision(store: Store, action: Action, evidence: unknown): Promise<boolean> {
  const sql = statements(store.dialect)
  return store.transaction(async (tx) => {
    if ((await allRows(tx, sql.insert(action, evidence))).length === 0) return false
    const { version, at, by } = action
    await recordActIn(tx, at, { act: 'version-retired', operator: by, detail: { version } })
    return true
  })
}

/** Whether there was anything to withdraw. */
export async function withdrawDecision(store: Store, action: Action, why: string | null): Promise<boolean> {
  const sql = statements(store.dialect)
  const { version, at, by } = action
  return store.transaction(async (tx) => {
    if ((await allRows(tx, sql.withdraw(action, why))).length === 0) return false
    await recordActIn(tx, at, { act: 'retirement-withdrawn', operator: by, detail: { version, why } })
    return true
  })
}

const decisionOf = (row: Row): Decision => {
  const [version, number, decidedAt, decidedBy, evidence, withdrawnAt, withdrawnBy, withdrawnWhy] = row
  return {
    version: String(version),
    number: Number(number),
    decidedAt: Number(decidedAt),
    decidedBy: textOrNull(decidedBy),
    evidence: JSON.parse(String(evidence)),
    withdrawnAt: numberOrNull(withdrawnAt),
    withdrawnBy: textOrNull(withdrawnBy),
    withdrawnWhy: textOrNull(withdrawnWhy),
  }
}
