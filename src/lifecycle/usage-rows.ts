import type { DetailKind } from '../compile/change-kinds/usage-traces.ts'
import { idents } from '../plan/dialect.ts'
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
  const [where, values] = from(store, table, span)
  const names = idents(['version', 'account_id', 'consumer', ...columns])
  const rows = await store.all(
    `SELECT SUM("calls"), MAX("last_seen"), ${names} ${where} GROUP BY ${names} ORDER BY ${names}`,
    values,
  )
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
