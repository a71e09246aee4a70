import type { Model, Resource } from '../../../compile/model.ts'
import { ident } from '../../../plan/dialect.ts'
import { eventTable, inboxTable } from '../../../plan/events.ts'
import type { Table } from '../table.ts'
import type { FollowStep, Rebuild } from './follow-plan.ts'
import { resourceWith } from './planning.ts'
import { recast } from './recast.ts'
import type { Reading } from './scan.ts'

const pageRows = 1_000
const logs = [
  { table: eventTable, number: 'position' },
  { table: inboxTable, number: 'number' },
]

/** Events show rows as they were, but in the names and kinds of today. Those of dropped resources are deleted. */
export async function rewriteEvents(
  reading: Reading,
  model: Model,
  steps: readonly FollowStep[],
): Promise<void> {
  const { session, dialect } = reading
  for (const step of steps.filter(({ kind }) => kind === 'drop'))
    for (const { table } of logs)
      await session.all(`DELETE FROM ${ident(table)} WHERE "resource" = ${dialect.param(1, 'string')}`, [
        nameOf(step.table),
      ])
  for (const rebuild of inOrder(steps.filter((step) => step.kind === 'rebuild')))
    for (const log of logs) await rewriteLog(reading, log, resourceWith(model, rebuild.table.name), rebuild)
}

const nameOf = (table: string | Table): string =>
  (typeof table === 'string' ? table : table.name).replaceAll('_', '-')

/** A resource that takes the name of another one comes after it. */
function inOrder(rebuilds: readonly Rebuild[]): readonly Rebuild[] {
  const left = [...rebuilds]
  const sorted: Rebuild[] = []
  while (left.length > 0) {
    const free = left.findIndex(
      ({ table }) => !left.some((other) => other.table !== table && other.from === table.name),
    )
    sorted.push(...left.splice(Math.max(free, 0), 1))
  }
  return sorted
}

async function rewriteLog(
  { session, dialect }: Reading,
  { table, number }: { readonly table: string; readonly number: string },
  resource: Resource,
  rebuild: Rebuild,
): Promise<void> {
  const text = (n: number) => dialect.param(n, 'string')
  const place = (n: number) => dialect.param(n, 'integer')
  const select = `SELECT "account_id", ${ident(number)}, "data", "before" FROM ${ident(table)} WHERE "resource" = ${text(1)} AND ("account_id", ${ident(number)}) > (${text(2)}, ${place(3)}) ORDER BY "account_id", ${ident(number)} LIMIT ${pageRows}`
  const update = `UPDATE ${ident(table)} SET "resource" = ${text(1)}, "data" = ${text(2)}, "before" = ${text(3)} WHERE "account_id" = ${text(4)} AND ${ident(number)} = ${place(5)}`
  const former = nameOf(rebuild.from)
  let at: readonly [string, number] = ['', 0]
  for (;;) {
    const rows = await session.all(select, [former, ...at])
    for (const [account, position, data, before] of rows) {
      at = [String(account), Number(position)]
      const old =
        before === null || before === undefined ? null : rewritten(String(before), resource, rebuild)
      await session.all(update, [resource.name, rewritten(String(data), resource, rebuild), old, ...at])
    }
    if (rows.length < pageRows) return
  }
}

/** The row of an event, as JSON. */
function rewritten(json: string, resource: Resource, { columns }: Rebuild): string {
  const row: { readonly [field: string]: unknown } = JSON.parse(json)
  const next: { [field: string]: unknown } = {}
  for (const { column, from, kindBefore, otherwise } of columns) {
    const field = resource.fields.find((one) => one.column === column.name)
    if (!field || from === null || !(from in row)) continue
    const value = row[from]
    const isOld = value !== null && kindBefore !== null && !field.relation
    next[field.name] = isOld ? (recast(value, kindBefore, field) ?? otherwise ?? null) : value
  }
  return JSON.stringify(next)
}
