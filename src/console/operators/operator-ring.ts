import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { randomCharacters } from '../../guard/api-key.ts'
import { type Bind, statement } from '../../plan/bound-statement.ts'
import { allRows, firstRow, writeAlone } from '../../store/run-statement.ts'
import { numberOrNull, type Row, type Store, StoreError, textOrNull } from '../../store/store.ts'
import { dayMs } from '../../times.ts'

export interface ListedOperator {
  readonly name: string
  readonly createdAt: number
  readonly hasPassword: boolean
  /** Until when the one-time link may be used; null where there is none. */
  readonly linkExpiresAt: number | null
  readonly revokedAt: number | null
}

/** What a sign-in compares. */
export interface KnownOperator {
  readonly name: string
  readonly epoch: number
  readonly passwordHash: string | null
}

/** A name that is taken, or that no operator has: a mistake of who asked. */
export class OperatorMistake extends Error {}

/** How long a one-time link may be used unless said. */
export const linkLifeMs = dayMs

const table = '"nounkit_operators"'

/** The operators in the store. A running process notices a change at once: nothing about operators is kept in memory. */
export class OperatorRing {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Resolves with the code of the one-time link. */
  async create(name: string, lifeMs = linkLifeMs): Promise<string> {
    const code = newCode()
    const now = this.#clock.now()
    try {
      await this.#write(
        (bind) =>
          `INSERT INTO ${table} ("name", "created_at", "epoch", "link_hash", "link_expires_at") VALUES (${bind('string', name)}, ${bind('integer', now)}, ${bind('integer', 1)}, ${bind('string', hashOfCode(code))}, ${bind('integer', now + lifeMs)})`,
      )
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'unique') throw await this.#taken(name)
      throw error
    }
    return code
  }

  /** A new one-time link, in place of an earlier one. The password and the sessions stay until it is used. */
  async link(name: string, lifeMs = linkLifeMs): Promise<string> {
    const code = newCode()
    const changed = await this.#write(
      (bind) =>
        `UPDATE ${table} SET "link_hash" = ${bind('string', hashOfCode(code))}, "link_expires_at" = ${bind('integer', this.#clock.now() + lifeMs)} WHERE "name" = ${bind('string', name)} AND "revoked_at" IS NULL`,
    )
    if (changed === 0) throw await this.#unknown(name)
    return code
  }

  /** For ever: the sessions end, and neither password nor link opens anything. */
  async revoke(name: string): Promise<void> {
    const changed = await this.#write(
      (bind) =>
        `UPDATE ${table} SET "revoked_at" = ${bind('integer', this.#clock.now())}, "epoch" = "epoch" + 1, "password" = NULL, "link_hash" = NULL, "link_expires_at" = NULL WHERE "name" = ${bind('string', name)} AND "revoked_at" IS NULL`,
    )
    if (changed === 0) throw await this.#unknown(name)
  }

  async list(): Promise<readonly ListedOperator[]> {
    const rows = await allRows(
      this.#store,
      statement(
        this.#store.dialect,
        () =>
          `SELECT "name", "created_at", CASE WHEN "password" IS NULL THEN 0 ELSE 1 END, "link_expires_at", "revoked_at" FROM ${table} ORDER BY "name"`,
      ),
    )
    return rows.map(operatorOf)
  }

  /** Whether anybody could sign in, or set a password by a link. */
  async any(): Promise<boolean> {
    const row = await firstRow(
      this.#store,
      statement(this.#store.dialect, () => `SELECT 1 FROM ${table} WHERE "revoked_at" IS NULL LIMIT 1`),
    )
    return row !== undefined
  }

  async find(name: string): Promise<KnownOperator | null> {
    return this.#known((bind) => `"name" = ${bind('string', name)}`)
  }

  /** Whose link it is, where it may still be used. */
  async ofLink(code: string): Promise<KnownOperator | null> {
    return this.#known(
      (bind) =>
        `"link_hash" = ${bind('string', hashOfCode(code))} AND "link_expires_at" > ${bind('integer', this.#clock.now())}`,
    )
  }

  /** Sets a password by a link, once: of two who use it, one wins. All sessions end. Resolves with who it is now. */
  async useLink(code: string, passwordHash: string): Promise<KnownOperator | null> {
    const known = await this.ofLink(code)
    const changed =
      known &&
      (await this.#write(
        (bind) =>
          `UPDATE ${table} SET "password" = ${bind('string', passwordHash)}, "link_hash" = NULL, "link_expires_at" = NULL, "epoch" = "epoch" + 1 WHERE "name" = ${bind('string', known.name)} AND "link_hash" = ${bind('string', hashOfCode(code))} AND "revoked_at" IS NULL`,
      ))
    return changed ? this.find(known.name) : null
  }

  /** All sessions end. Null where the password was changed meanwhile. */
  async changePassword({ name, epoch }: KnownOperator, passwordHash: string): Promise<KnownOperator | null> {
    const changed = await this.#write(
      (bind) =>
        `UPDATE ${table} SET "password" = ${bind('string', passwordHash)}, "epoch" = "epoch" + 1 WHERE "name" = ${bind('string', name)} AND "epoch" = ${bind('integer', epoch)} AND "revoked_at" IS NULL`,
    )
    return changed ? this.find(name) : null
  }

  async #known(where: (bind: Bind) => string): Promise<KnownOperator | null> {
    const row = await firstRow(
      this.#store,
      statement(
        this.#store.dialect,
        (bind) =>
          `SELECT "name", "epoch", "password" FROM ${table} WHERE "revoked_at" IS NULL AND ${where(bind)}`,
      ),
    )
    if (!row) return null
    const [name, epoch, password] = row
    return { name: String(name), epoch: Number(epoch), passwordHash: textOrNull(password) }
  }

  #write(text: (bind: Bind) => string): Promise<number> {
    return writeAlone(this.#store, statement(this.#store.dialect, text))
  }

  async #taken(name: string): Promise<OperatorMistake> {
    return (await this.find(name))
      ? new OperatorMistake(
          `There is an operator "${name}" already. For a new link, with which a new password can be set: nounkit operators link ${name}`,
        )
      : new OperatorMistake(`The operator "${name}" was revoked, and names are used once. Choose another.`)
  }

  async #unknown(name: string): Promise<OperatorMistake> {
    const one = (await this.list()).find((operator) => operator.name === name)
    return new OperatorMistake(
      one
        ? `The operator "${name}" was revoked, for ever. nounkit operators create makes another one, by another name.`
        : `There is no operator "${name}". nounkit operators list shows all.`,
    )
  }
}

const newCode = (): string => randomCharacters(32)

/** A code is random, so that no slow hash is needed. */
const hashOfCode = (code: string): string => hash('sha256', code, 'hex')

const operatorOf = ([name, createdAt, hasPassword, linkExpiresAt, revokedAt]: Row): ListedOperator => ({
  name: String(name),
  createdAt: Number(createdAt),
  hasPassword: Number(hasPassword) === 1,
  linkExpiresAt: numberOrNull(linkExpiresAt),
  revokedAt: numberOrNull(revokedAt),
})
