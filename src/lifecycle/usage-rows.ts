import type { DetailKind } from '../compile/change-kinds/usage-traces.ts'
import { type Bind, statement } from '../plan/bound-statement.ts'
import { idents } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { dayOf } from '../times.ts'
import { refused } from './stand-in-consumers.ts'

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

const from = (bind: Bind, table: string, { since, account }: Span): string => {
  const day = bind('string', dayOf(since))
  const mine = account === null ? '' : ` AND "account_id" = ${bind('string', account)}`
  return `FROM "${table}" WHERE "day" >= ${day} AND "last_seen" >= ${bind('integer', since)}${mine}`
}

export async function readOperations(store: Store, span: Span): Promise<readonly CountedOperation[]> {
  const rows = await readCounts(store, 'nounkit_usage', ['operation'], span)
  return rows.map(({ counted, names: [operation = ''] }) => ({ ...counted, operation }))
}

export async function readDetails(store: Store, span: Span): Promise<readonly CountedDetail[]> {
  const rows = await readCounts(store, 'nounkit_usage_details', ['resource', 'kind', 'name'], span)
  return rows.map(({ counted, names: [resource = '', kind, name = ''] }) => ({
    ...counted,
    resource,
    kind: kind as DetailKind,
    name,
  }))
}

export interface CountedByDay extends CountedOperation {
  readonly day: string
}

/** Served calls of each consumer by day; `operation` is empty. */
export async function readConsumerDays(store: Store, span: Span): Promise<readonly CountedByDay[]> {
  const rows = await readCounts(store, 'nounkit_usage', ['day'], span)
  return rows
    .map(({ counted, names: [day = ''] }) => ({ ...counted, operation: '', day }))
    .filter(({ consumer }) => consumer !== refused)
}

/** Served calls by consumer, operation and day. Many rows: for one account. */
export async function readOperationDays(
  store: Store,
  span: Span & { readonly account: string },
): Promise<readonly CountedByDay[]> {
  const rows = await readCounts(store, 'nounkit_usage', ['operation', 'day'], span)
  return rows
    .map(({ counted, names: [operation = '', day = ''] }) => ({ ...counted, operation, day }))
    .filter(({ consumer }) => consumer !== refused)
}

/** Counts by version, account, consumer and the columns. */
async function readCounts(store: Store, table: string, columns: readonly string[], span: Span) {
  const names = idents(['version', 'account_id', 'consumer', ...columns])
  const counts = statement(
    store.dialect,
    (bind) =>
      `SELECT SUM("calls"), MAX("last_seen"), ${names} ${from(bind, table, span)} GROUP BY ${names} ORDER BY ${names}`,
  )
  const rows = await allRows(store, counts)
  return rows.map(([calls, lastSeen, version, account, consumer, ...rest]) => ({
    counted: {
      version: String(version),
      account: String(account),
      consumer: String(consumer),
      calls: Number(calls),
      lastSeen: Number(lastSeen),
    },
    names: rest.map(String),
  }))
}

export interface CallsOfDay {
  readonly version: string
  readonly day: string
  readonly calls: number
}

/** Served calls by version and day. */
export async function readDays(store: Store, span: Span): Promise<readonly CallsOfDay[]> {
  const names = '"version", "day"'
  const days = statement(
    store.dialect,
    (bind) =>
      `SELECT ${names}, SUM("calls") ${from(bind, 'nounkit_usage', span)} AND "consumer" <> ${bind('string', refused)} GROUP BY ${names} ORDER BY ${names}`,
  )
  const rows = await allRows(store, days)
  return rows.map(([version, day, calls]) => ({
    version: String(version),
    day: String(day),
    calls: Number(calls),
  }))
}
