import { audienceOf } from '../guard/audience.ts'
import { type Bind, statement } from '../plan/bound-statement.ts'
import { allRows, firstRow, writeAlone } from '../store/run-statement.ts'
import type { Row, Store } from '../store/store.ts'
import type { Endpoint, EndpointKey } from './endpoint-rows.ts'
import { storedCaller } from './owner.ts'
import { timeText } from './stored-times.ts'

/** How long a process may call an endpoint without saying that it still lives. */
export const leaseMs = 15_000

/**
 * One process at a time calls an endpoint, so that an event is not sent twice and an endpoint gets no more calls at once than it
 * should. A process that is killed leaves its lease, which ends by itself.
 */
export class Leases {
  readonly #store: Store
  readonly #owner: string
  readonly #versions: () => readonly string[]

  /**
   * `versions` are those whose endpoints this process knows how to treat. Another one may be new: a process that was started before it
   * was declared leaves its endpoints to others.
   */
  constructor(store: Store, owner: string, versions: () => readonly string[]) {
    this.#store = store
    this.#owner = owner
    this.#versions = versions
  }

  /** Takes the lease or renews it. Null where another process has it, or the endpoint is gone or not active. */
  async take({ account, id }: EndpointKey, now: number): Promise<Endpoint | null> {
    const { dialect } = this.#store
    const text = statement(
      dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "lease_owner" = ${bind('string', this.#owner)}, "lease_until" = ${bind('integer', now + leaseMs)} WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} AND ${this.#isFree(bind, now)} RETURNING "url", ${dialect.json('"event_types"', 'json', false)}, "api_version", "position", "told_to", "version"`,
    )
    const row = await this.#store.transaction((tx) => firstRow(tx, text), account)
    if (!row) return null
    const [url, types, version, position, toldTo, rowVersion] = row
    const owner = storedCaller(account, String(toldTo))
    return {
      account,
      id,
      url: String(url),
      types: new Set(JSON.parse(String(types)) as string[]),
      version: String(version),
      position: Number(position),
      audience: audienceOf(owner),
      restsOn: owner.consumer.id,
      rowVersion: Number(rowVersion),
    }
  }

  async renewAll(now: number): Promise<void> {
    const renew = statement(
      this.#store.dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "lease_until" = ${bind('integer', now + leaseMs)} WHERE "lease_owner" = ${bind('string', this.#owner)}`,
    )
    await writeAlone(this.#store, renew)
  }

  async release({ account, id }: EndpointKey): Promise<void> {
    const release = statement(
      this.#store.dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "lease_owner" = NULL, "lease_until" = NULL WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} AND "lease_owner" = ${bind('string', this.#owner)}`,
    )
    await writeAlone(this.#store, release, account)
  }

  async releaseAll(): Promise<void> {
    const release = statement(
      this.#store.dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "lease_owner" = NULL, "lease_until" = NULL WHERE "lease_owner" = ${bind('string', this.#owner)}`,
    )
    await writeAlone(this.#store, release)
  }

  async anyActive(): Promise<boolean> {
    const row = await firstRow(
      this.#store,
      statement(
        this.#store.dialect,
        (bind) => `SELECT 1 FROM "webhook_endpoints" WHERE "active" = ${bind('boolean', 1)} LIMIT 1`,
      ),
    )
    return row !== undefined
  }

  /** Active endpoints of some accounts, of one where accounts are apart, that no other process calls. */
  async freeOf(accounts: readonly string[], now: number): Promise<readonly EndpointKey[]> {
    const { dialect } = this.#store
    const [only] = dialect.accountsApart ? accounts : []
    const free = statement(dialect, (bind) => {
      const isAsked =
        only === undefined
          ? `IN (${dialect.listed(bind('json', JSON.stringify(accounts)))})`
          : `= ${bind('id', only)}`
      return `SELECT "account_id", "id" FROM "webhook_endpoints" e WHERE "account_id" ${isAsked} AND ${this.#isFree(bind, now)}`
    })
    return keysOf(await allRows(this.#store, free, only))
  }

  /** Active endpoints that no other process calls, and that have something to be sent: a delivery that is due, or events they were not told yet. */
  async freeWithWork(now: number): Promise<readonly EndpointKey[]> {
    const { dialect } = this.#store
    const due = await allRows(
      this.#store,
      statement(
        dialect,
        (bind) =>
          `SELECT DISTINCT e."account_id", e."id" FROM "webhook_deliveries" d JOIN "webhook_endpoints" e ON e."account_id" = d."account_id" AND e."id" = d."endpoint_id" WHERE d."next_attempt_at" <= ${bind('datetime', timeText(now))} AND ${this.#isFree(bind, now)}`,
      ),
    )
    const behind = await allRows(
      this.#store,
      statement(
        dialect,
        (bind) =>
          `SELECT e."account_id", e."id" FROM "webhook_endpoints" e WHERE (EXISTS (SELECT 1 FROM "nounkit_events" v WHERE v."account_id" = e."account_id" AND v."position" > e."position") OR EXISTS (SELECT 1 FROM "nounkit_event_inbox" i WHERE i."account_id" = e."account_id")) AND ${this.#isFree(bind, now)}`,
      ),
    )
    return keysOf([...due, ...behind])
  }

  #isFree(bind: Bind, now: number): string {
    const active = bind('boolean', 1)
    const versions = this.#versions().map((name) => bind('string', name))
    return `"active" = ${active} AND "api_version" IN (${versions.join(', ')}) AND ("lease_until" IS NULL OR "lease_until" < ${bind('integer', now)} OR "lease_owner" = ${bind('string', this.#owner)})`
  }
}

const keysOf = (rows: readonly Row[]): readonly EndpointKey[] =>
  rows.map(([account, id]) => ({ account: String(account), id: String(id) }))
