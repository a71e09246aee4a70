import type { Model } from '../compile/model.ts'
import { EventLog } from '../events/event-log.ts'
import { bindModel } from '../migrate/bind-model.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import * as ddl from '../migrate/postgres/ddl.ts'
import { notCopied } from '../migrate/wanted/engine-tables.ts'
import type { ForeignKey, Table } from '../migrate/wanted/table.ts'
import { wantedTables } from '../migrate/wanted/wanted-tables.ts'
import type { Bound } from '../plan/bound-statement.ts'
import { inboxTable } from '../plan/events.ts'
import { emptyMeta, forgetUncopied } from '../store/meta.ts'
import { refreshStatistics } from '../store/refresh-statistics.ts'
import { allRows } from '../store/run-statement.ts'
import { withSnapshot } from '../store/snapshot.ts'
import { type Session, type Store, StoreRefused, type Value } from '../store/store.ts'
import { boundCells, insertPage, keyCells, lastPositions, selectPage } from './copy-statements.ts'
import { demandEmpty } from './demand-empty.ts'
import { inReferenceOrder } from './resource-order.ts'
import { inTargetTransaction } from './target-transaction.ts'

export interface Copied {
  readonly table: string
  readonly rows: number
}

export interface CopyOptions {
  readonly model: Model
  readonly from: Store
  readonly to: Store
  progress(table: string, rows: number): void
  /** Called with what did not succeed after everything was copied. */
  warn(sentence: string): void
}

/**
 * Copies everything from one store, which must fit the model (`demandFit`), to another, which must be empty: one snapshot of the source
 * into one transaction of the target. A copy that is killed leaves an empty target.
 */
export async function copyStore({ model: declared, ...others }: CopyOptions): Promise<readonly Copied[]> {
  const { from, to, warn } = others
  const { model } = await bindModel(from, declared)
  const options = { ...others, model }
  // Checked before a table is created, and once more when no other process can write to the target.
  await to.session((target) => demandEmpty(target, to.dialect, model))
  // The copy has the names of the source, whose record is copied along.
  await migrateStore(to, model, { decider: { by: 'nobody' } })
  const copied = await withPositions(from, (source) =>
    to.session((target) => inTargetTransaction(to, target, () => copyTables(source, target, options))),
  )
  const filled = copied.filter(({ rows }) => rows > 0)
  await refreshStatistics(
    to,
    filled.map(({ table }) => table),
    warn,
  )
  return copied
}

async function copyTables(
  source: Session,
  target: Session,
  { model, from, to, progress }: CopyOptions,
): Promise<readonly Copied[]> {
  const tables = inInsertOrder(model)
  await demandEmpty(target, to.dialect, model)
  const keys = to.dialect.name === 'sqlite' ? [] : keysInTheWay(tables)
  for (const { table, key } of keys) await target.script(ddl.dropConstraint(table, key.name))
  await target.script(emptyMeta)
  const all: Copied[] = []
  for (const table of tables) {
    if (notCopied.has(table.name)) continue
    const rows = await copyTable({ source, target, from, to, table, progress })
    all.push({ table: table.name, rows })
  }
  for (const statement of [...lastPositions, ...forgetUncopied]) await target.script(statement)
  for (const { table, key } of keys) await target.script(ddl.addForeignKey(table, key, true))
  await demandReferences(target, to)
  return all
}

const mostSnapshots = 100

/**
 * A snapshot in which every event has its position. Only the source knows the order of committed events that have none yet, and it gives
 * positions outside of snapshots. So where an event came in between, another snapshot is tried.
 */
async function withPositions<T>(from: Store, work: (source: Session) => Promise<T>): Promise<T> {
  for (let snapshots = 1; snapshots <= mostSnapshots; snapshots++) {
    await givePositions(from)
    const done = await withSnapshot(from, async (source) =>
      (await hasWaitingEvents(source)) ? null : { value: await work(source) },
    )
    if (done) return done.value
  }
  throw new StoreRefused(
    'More rows are being written to the source than a copy can keep up with. Nothing was copied. Stop the writes to it, and run the copy again.',
  )
}

async function givePositions(from: Store): Promise<void> {
  const log = new EventLog(from)
  const accounts = await from.all(`SELECT DISTINCT "account_id" FROM "${inboxTable}"`, [])
  for (const [account] of accounts) await log.last(String(account))
}

const hasWaitingEvents = async (source: Session): Promise<boolean> =>
  (await source.all(`SELECT 1 FROM "${inboxTable}" LIMIT 1`)).length > 0

/** A resource's table comes after those that its rows must reference. */
function inInsertOrder(model: Model): readonly Table[] {
  const places = new Map(inReferenceOrder(model.stored.values()).map(({ table }, at) => [table, at]))
  const placeOf = ({ name }: Table): number => places.get(name) ?? -1
  return wantedTables(model).toSorted((a, b) => placeOf(a) - placeOf(b))
}

interface TableKey {
  readonly table: Table
  readonly key: ForeignKey
}

/** Foreign keys to rows that are copied later: optional references to the table itself, or to a later one. */
const keysInTheWay = (tables: readonly Table[]): readonly TableKey[] =>
  tables.flatMap((table, at) =>
    table.foreignKeys
      .filter((key) => tables.findIndex(({ name }) => name === key.table) >= at)
      .map((key) => ({ table, key })),
  )

/** SQLite checks references when it is asked to. */
async function demandReferences(target: Session, to: Store): Promise<void> {
  if (to.dialect.name !== 'sqlite') return
  const [broken] = await target.all('PRAGMA foreign_key_check')
  if (broken)
    throw new StoreRefused(
      `The store to copy from is damaged: a row of ${broken[0]} references one of ${broken[2]} that is missing.`,
    )
}

interface TableCopy {
  readonly source: Session
  readonly target: Session
  readonly from: Store
  readonly to: Store
  readonly table: Table
  readonly progress: CopyOptions['progress']
}

/** Rows that are read at once; fewer where they may be long. */
const pageRows = 500
const longRows = 50

async function copyTable({ source, target, from, to, table, progress }: TableCopy): Promise<number> {
  const size = table.longRows ? longRows : pageRows
  let after: readonly Value[] | null = null
  let count = 0
  for (;;) {
    const page: Bound = selectPage(table, from.dialect, { after, rows: size })
    const rows = (await allRows(source, page)).map((row) => boundCells(table, row))
    const last = rows.at(-1)
    if (!last) return count
    const insert = insertPage(table, to.dialect, rows)
    await allRows(target, insert)
    count += rows.length
    progress(table.name, count)
    after = keyCells(table, last)
  }
}
