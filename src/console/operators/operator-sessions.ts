import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { randomCharacters } from '../../guard/api-key.ts'
import { type Bind, statement } from '../../plan/bound-statement.ts'
import { firstRow, writeAlone } from '../../store/run-statement.ts'
import type { Store } from '../../store/store.ts'
import { hourMs, minuteMs } from '../../times.ts'
import type { KnownOperator } from './operator-ring.ts'

/** After so long without a request a session ends. */
const idleMs = 2 * hourMs
/** However much it is used, a session ends after so long. */
const longestMs = 12 * hourMs
/** A session is noted as used at most this often. */
const noteEveryMs = minuteMs

export interface OpenSession {
  readonly operator: string
  /** What the browser keeps in its cookie. The store has its hash only. */
  readonly secret: string
}

const table = '"nounkit_operator_sessions"'

/** The sessions of operators. One is valid while its row is there, in time, and of the operator's present epoch. */
export class OperatorSessions {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Begins a session, and deletes those that ended by time. */
  async begin({ name, epoch }: KnownOperator): Promise<OpenSession> {
    const secret = randomCharacters(43)
    const now = this.#clock.now()
    const remove = statement(
      this.#store.dialect,
      (bind) => `DELETE FROM ${table} WHERE "ends_at" <= ${bind('integer', now)}`,
    )
    await writeAlone(this.#store, remove)
    const values = (bind: Bind): string =>
      [
        bind('string', hashOfSecret(secret)),
        bind('string', name),
        ...[epoch, now, now, now + idleMs].map((number) => bind('integer', number)),
      ].join(', ')
    await this.#write(
      (bind) =>
        `INSERT INTO ${table} ("hash", "operator", "epoch", "created_at", "seen_at", "ends_at") VALUES (${values(bind)})`,
      hashOfSecret(secret),
    )
    return { operator: name, secret }
  }

  /** The session of a cookie; null for one that has ended. Where `isUse`, it ends later than it would have. */
  async find(secret: string, isUse: boolean): Promise<OpenSession | null> {
    const now = this.#clock.now()
    const key = hashOfSecret(secret)
    const session = statement(
      this.#store.dialect,
      (bind) =>
        `SELECT s."operator", s."created_at", s."seen_at" FROM ${table} AS s JOIN "nounkit_operators" AS o ON o."name" = s."operator" AND o."epoch" = s."epoch" WHERE s."hash" = ${bind('string', key)} AND s."ends_at" > ${bind('integer', now)} AND o."revoked_at" IS NULL`,
    )
    const row = await firstRow(this.#store, session, key)
    if (!row) return null
    const [operator, createdAt, seenAt] = row
    if (isUse && now - Number(seenAt) >= noteEveryMs) {
      const endsAt = Math.min(Number(createdAt) + longestMs, now + idleMs)
      await this.#write(
        (bind) =>
          `UPDATE ${table} SET "seen_at" = ${bind('integer', now)}, "ends_at" = ${bind('integer', endsAt)} WHERE "hash" = ${bind('string', key)}`,
        key,
      )
    }
    return { operator: String(operator), secret }
  }

  async end(secret: string): Promise<void> {
    const key = hashOfSecret(secret)
    await this.#write((bind) => `DELETE FROM ${table} WHERE "hash" = ${bind('string', key)}`, key)
  }

  #write(text: (bind: Bind) => string, account: string): Promise<number> {
    return writeAlone(this.#store, statement(this.#store.dialect, text), account)
  }
}

const hashOfSecret = (secret: string): string => hash('sha256', secret, 'hex')
