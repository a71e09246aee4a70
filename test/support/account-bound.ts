import type { Model } from '../../src/compile/model.ts'
import { wantedTables } from '../../src/migrate/wanted/wanted-tables.ts'
import { hashText } from '../../src/store/postgres/hash-text.ts'
import type { Store, Transaction, Value, Write } from '../../src/store/store.ts'
import { tableReferences } from './table-references.ts'

/** A part of a query that writes. Citus plans each of them by itself, and commits them on all nodes. */
const writingPart = /\bAS (?:MATERIALIZED )?\((?:INSERT|UPDATE|DELETE)\b/

interface Sent extends Write {
  readonly account: string
}

/**
 * Looks at every statement that is sent with the account it is for: each table that it names must be restricted to rows of that account,
 * which makes it a statement for one node on Citus. Statements without an account: `test/without-an-account.test.ts`.
 */
export class AccountBound {
  /** By text: the last that was sent. */
  readonly #sent = new Map<string, Sent>()
  #isApart = false

  /** A setting of `openService`. */
  readonly watchStore = (store: Store): Store => {
    this.#isApart = store.dialect.accountsApart
    const { writeClaimed } = store
    return {
      ...store,
      first: (sql, values, account) => {
        this.#note({ sql, values }, account)
        return store.first(sql, values, account)
      },
      all: (sql, values, account) => {
        this.#note({ sql, values }, account)
        return store.all(sql, values, account)
      },
      writeOne: (sql, values, account) => {
        this.#note({ sql, values }, account)
        return store.writeOne(sql, values, account)
      },
      writeClaimed:
        writeClaimed &&
        ((writes, account) => {
          for (const write of [writes.claim, writes.write, writes.release, ...(writes.also ?? [])])
            if (write) this.#note(write, account)
          return writeClaimed(writes, account)
        }),
      transaction: (work, account) => store.transaction((tx) => work(this.#within(tx, account)), account),
    }
  }

  #within(tx: Transaction, account: string | undefined): Transaction {
    return {
      dialect: tx.dialect,
      first: (sql, values) => {
        this.#note({ sql, values }, account)
        return tx.first(sql, values)
      },
      all: (sql, values) => {
        this.#note({ sql, values }, account)
        return tx.all(sql, values)
      },
    }
  }

  #note({ sql, values }: Write, account: string | undefined): void {
    if (account !== undefined) this.#sent.set(sql, { sql, values, account })
  }

  /** What was sent for an account and concerns others. */
  mistakes(model: Model): readonly string[] {
    const spread = new Map(wantedTables(model).map((table) => [table.name, table.spread]))
    const spreadBy = (table: string): string | null => {
      const by = spread.get(table) ?? 'everywhere'
      // Without Citus, tables that are spread by something else than the account are tables as any other.
      return by === 'everywhere' || (by !== 'account_id' && !this.#isApart) ? null : by
    }
    return [...this.#sent.values()].flatMap((sent) => {
      const concerned = tableReferences(sent.sql, spreadBy)
        .filter(({ parameter }) => !isOf(sent, parameter))
        .map(({ table }) => `${table}: rows of others than ${sent.account}`)
      if (this.#isApart && writingPart.test(sent.sql)) concerned.push('a part of a query that writes')
      return concerned.length > 0 ? [`${concerned.join(', ')}\n${sent.sql}`] : []
    })
  }
}

function isOf({ values, account }: Sent, parameter: number | null): boolean {
  if (parameter === null) return false
  const value: Value = values[parameter - 1] ?? null
  return value === account || isPlacedWith(String(value), account)
}

/** The hash of an API key places it with its account (api-key.ts). */
const isPlacedWith = (hash: string, account: string): boolean =>
  /^[0-9a-f]{64}$/.test(hash) && hashText(hash) >>> 24 === hashText(account) >>> 24
