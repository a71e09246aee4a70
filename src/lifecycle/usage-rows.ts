import type { DetailKind } from '../compile/change-kinds/usage-traces.ts'
import type { Store, Value } from '../store/store.ts'
import { dayOf } from '../times.ts'
import { refused } from './counts.ts'

export interface CountedConsumer {
  readonly account: string
  /** Its id, `anonymous` or `refused`. */
  readonly consumer: string
  readonly version: string
  readonly calls: number
  readonly lastSeen: number
}
export interface CountedOperation extends CountedConsumer {
  readonly operation: string
}
export interface CountedDetail extends CountedConsumer {
  readonly resource: string
  readonly kind: DetailKind
  readonly name: string
}

/** The start of the time, and the account; null for all accounts. */
export interface Span {
  readonly since: number
  readonly account: string | null
}

const from = (store: Store, table: string, { since, account }: Span): [string, Value[]] => {
  const { dialect } = store
  const mine = account === null ? '' : ` AND "account_id" = ${dialect.param(3, 'string')}`
  const where = `FROM "${table}" WHERE "day" >= ${dialect.param(1, 'string')} AND "last_seen" >= ${dialect.param(2, 'integer')}${mine}`
  return [where, [dayOf(since), since, ...(account === null ? [] : [account])]]
}

const sums = `SUM("calls"), MAX("last_seen")`

export async function readOperations(store: Store, span: Span): Promise<readonly CountedOperation[]> {
  const [where, values] = from(store, 'nounkit_usage', span)
  const names = '"version", "account_id", "consumer", "operation"'
  const rows = await store.all(
    `SELECT ${names}, ${sums} ${where} GROUP BY ${names} ORDER BY ${names}`,
    values,
  )
  return rows.map(([version, account, consumer, operation, calls, lastSeen]) => ({
    version: String(version),
    account: String(account),
    consumer: String(consumer),
    operation: String(operation),
    calls: Number(calls),
    lastSeen: Number(lastSeen),
  }))
}

export async function readDetails(store: Store, span: Span): Promise<readonly CountedDetail[]> {
  const [where, values] = from(store, 'nounkit_usage_details', span)
  const names = '"version", "account_id", "consumer", "resource", "kind", "name"'
  const rows = await store.all(
    `SELECT ${names}, ${sums} ${where} GROUP BY ${names} ORDER BY ${names}`,
    values,
  )
  return rows.map(([version, account, consumer, resource, kind, name, calls, lastSeen]) => ({
    version: String(version),
    account: String(account),
    consumer: String(consumer),
    resource: String(resource),
    kind: String(kind) as DetailKind,
    name: String(name),
    calls: Number(calls),
    lastSeen: Number(lastSeen),
  }))
}

export interface CallsOfDay {
  readonly version: string
  readonly day: string
  readonly calls: number
}

/** Served calls by version and day. */
export async function readDays(store: Store, span: Span): Promise<readonly CallsOfDay[]> {
  const [where, values] = from(store, 'nounkit_usage', span)
  const names = '"version", "day"'
  const rows = await store.all(
    `SELECT ${names}, SUM("calls") ${where} AND "consumer" <> '${refused}' GROUP BY ${names} ORDER BY ${names}`,
    values,
  )
  return rows.map(([version, day, calls]) => ({
    version: String(version),
    day: String(day),
    calls: Number(calls),
  }))
}
