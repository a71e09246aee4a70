import { AsyncLocalStorage } from 'node:async_hooks'
import type { PlainRequest } from '../../call/exchange.ts'
import type { Handle } from '../../serve/shell.ts'
import type { Store, Transaction, Value, Write } from '../../store/store.ts'

/** A statement that a request ran. */
export interface RanStatement extends Write {
  readonly method: string
  readonly path: string
}

/** The statements of one request. */
interface Counted {
  readonly request: PlainRequest
  statements: number
}

type Run<R> = (sql: string, values: readonly Value[], account?: string) => R

/** Counts the statements of each request, and keeps the last one. Those of the engine's own work are not counted. */
export class StatementWatch {
  readonly #current = new AsyncLocalStorage<Counted>()
  readonly #counted = new WeakMap<PlainRequest, Counted>()
  #last: RanStatement | null = null

  get last(): RanStatement | null {
    return this.#last
  }

  countOf(request: PlainRequest): number {
    return this.#counted.get(request)?.statements ?? 0
  }

  handle(handle: Handle): Handle {
    return (request) => {
      const counted = { request, statements: 0 }
      this.#counted.set(request, counted)
      return this.#current.run(counted, () => handle(request))
    }
  }

  store(store: Store): Store {
    const { writeClaimed } = store
    const noted = this.#noting(() => this.#current.getStore())
    return {
      ...store,
      first: noted(store.first.bind(store)),
      all: noted(store.all.bind(store)),
      writeOne: noted(store.writeOne.bind(store)),
      writeClaimed:
        writeClaimed &&
        ((writes, account) => {
          for (const write of [writes.claim, writes.write, ...(writes.also ?? [])])
            if (write) this.#note(this.#current.getStore(), write.sql, write.values)
          return writeClaimed(writes, account)
        }),
      transaction: (work, account) => {
        // Transactions of several requests may be run together, from one of them.
        const counted = this.#current.getStore()
        return store.transaction((tx) => work(this.#transaction(tx, counted)), account)
      },
    }
  }

  #transaction(tx: Transaction, counted: Counted | undefined): Transaction {
    const noted = this.#noting(() => counted)
    return { dialect: tx.dialect, first: noted(tx.first.bind(tx)), all: noted(tx.all.bind(tx)) }
  }

  /** The same function, which also notes the statement. */
  #noting(counted: () => Counted | undefined) {
    return <R>(run: Run<R>): Run<R> =>
      (sql, values, account) => {
        this.#note(counted(), sql, values)
        return run(sql, values, account)
      }
  }

  #note(counted: Counted | undefined, sql: string, values: readonly Value[]): void {
    if (!counted) return
    counted.statements++
    const { method, path } = counted.request
    this.#last = { sql, values, method, path }
  }
}

/** The last statement as text, with its values and the plan of the database. */
export async function explainLast(last: RanStatement | null, store: Store): Promise<string> {
  if (!last) return 'No request has run a statement yet.'
  const plan = await store.all(`${store.dialect.explain} ${last.sql}`, last.values)
  return [
    `The last statement, of ${last.method} ${last.path}, for ${store.dialect.name}:`,
    last.sql,
    `Bound: ${last.values.map((value) => JSON.stringify(value)).join(', ') || 'nothing'}`,
    'Plan:',
    ...store.dialect.planLines(plan).map((line) => `  ${line}`),
  ].join('\n')
}
