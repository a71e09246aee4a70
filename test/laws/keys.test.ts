import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runsOf } from '../../src/plan/key-log.ts'
import { keyTable } from '../../src/plan/keys.ts'
import type { Keys } from '../../src/run/keys/keys.ts'
import { keysOf } from '../../src/run/keys/keys-of.ts'
import { loggedKeys } from '../../src/run/keys/logged.ts'
import { sweep } from '../../src/run/keys/sweep.ts'
import { openStore } from '../../src/store/open.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import type { Store, Value } from '../../src/store/store.ts'
import { booksModel } from '../store/books.ts'
import { describeStores, openForTest } from '../support/stores.ts'

/** What becomes of a create once it has its key: it is kept, refused, or lost with all that share its commit. */
type Fate = 'kept' | 'refused' | 'lost'

interface Create {
  readonly process: 0 | 1
  readonly name: Name
  readonly fate: Fate
  /** In one transaction with the row, or in one that goes on. */
  readonly beside: boolean
  readonly hours: number
}

type Step =
  | { readonly creates: readonly Create[] }
  | { readonly hoursPass: number }
  | { readonly sweeps: 0 | 1 }
  | { readonly forgets: Name; readonly process: 0 | 1 }
  | { readonly restarts: 0 | 1 }
  | { readonly prepares: 0 | 1 }

/** Two accounts use the same keys. */
const names = ['acme a', 'acme b', 'acme c', 'globex a', 'globex b', 'globex c'] as const
type Name = (typeof names)[number]
const parts = (name: Name) => name.split(' ') as [account: string, key: string]

const anyName = fc.constantFrom(...names)
const anyProcess = fc.constantFrom<0 | 1>(0, 1)
const fate = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fate>('kept') },
  fc.constantFrom<Fate>('refused', 'lost'),
)
const create: fc.Arbitrary<Create> = fc.record({
  process: anyProcess,
  name: anyName,
  fate,
  beside: fc.boolean(),
  hours: fc.integer({ min: 1, max: 3 }),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ creates: fc.array(create, { minLength: 1, maxLength: 6 }) }) },
  fc.record({ hoursPass: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ sweeps: anyProcess }),
  fc.record({ forgets: anyName, process: anyProcess }),
  fc.record({ restarts: anyProcess }),
  fc.record({ prepares: anyProcess }),
)

const hour = 3_600_000
const refused = new Error('refused')

interface Process {
  readonly store: Store
  readonly keys: Keys
}

/** Whether the key was free; throws what befell the create. */
function claim({ store, keys }: Process, wish: Create, now: number): Promise<boolean> {
  const [account, key] = parts(wish.name)
  const expires = now + wish.hours * hour
  const values: Value[] = [key, 'fingerprint', '/there', `row of ${key}`, now, expires, 'body']
  if (wish.beside && keys.claimBeside)
    return keys.claimBeside(
      account,
      () => values,
      (tx) => {
        if (wish.fate === 'lost') tx.write('ROLLBACK', [])
        if (wish.fate === 'refused') throw refused
      },
    )
  return store.transaction(async (tx) => {
    const claimed = await keys.claim(tx, account, values)
    if (!claimed) return false
    if (wish.fate !== 'kept') throw refused
    await keys.complete(tx, claimed, [`body of ${key}`, '"2"', now, expires])
    return true
  })
}

/** Two processes at one store, and what should be in it. */
class World {
  /** When each key that is kept expires. */
  readonly #kept = new Map<Name, number>()
  readonly #database: string
  readonly #processes: [Process, Process]
  #now = 0

  private constructor(database: string, processes: [Process, Process]) {
    this.#database = database
    this.#processes = processes
  }

  static async open(database: string): Promise<World> {
    return new World(database, [await start(database), await start(database)])
  }

  async go(next: Step): Promise<void> {
    if ('hoursPass' in next) this.#now += next.hoursPass * hour
    else if ('creates' in next) await this.#create(next.creates)
    else if ('sweeps' in next) {
      await sweep(this.#processes[next.sweeps].store, { now: () => this.#now }, new AbortController().signal)
      for (const name of names) this.#forget(name)
    } else if ('forgets' in next) {
      await this.#processes[next.process].keys.forgetExpired(...parts(next.forgets), this.#now)
      this.#forget(next.forgets)
    } else if ('prepares' in next) await this.#processes[next.prepares].keys.prepare()
    else {
      await this.#processes[next.restarts].store.close()
      this.#processes[next.restarts] = await start(this.#database)
    }
  }

  /** Every process finds what is kept, and nothing else. */
  async look(): Promise<void> {
    for (const { keys } of this.#processes)
      for (const name of names)
        expect([name, (await keys.find(...parts(name))) !== undefined]).toEqual([name, this.#kept.has(name)])
  }

  async end(): Promise<void> {
    await this.go({ hoursPass: 1_000 })
    await this.go({ sweeps: 0 })
    const { store, keys } = this.#processes[0]
    if (keys.claimBeside) expect(await store.all(`SELECT * FROM "${runsOf(keyTable)}"`, [])).toEqual([])
    // PostgreSQL's sweepers agree by the clock who is next, and the next world's clock begins anew.
    await store.writeOne(`DELETE FROM "nounkit_meta" WHERE "key" = 'sweeper'`, [])
    for (const process of this.#processes) await process.store.close()
  }

  async #create(creates: readonly Create[]): Promise<void> {
    const outcomes = await Promise.all(
      creates.map((wish) => claim(this.#processes[wish.process], wish, this.#now).catch(() => null)),
    )
    creates.forEach(({ name, hours }, at) => {
      if (outcomes[at] !== true) return
      expect([name, this.#kept.has(name)]).toEqual([name, false])
      this.#kept.set(name, this.#now + hours * hour)
    })
    creates.forEach(({ name }, at) => {
      if (outcomes[at] === false) expect([name, this.#kept.has(name)]).toEqual([name, true])
    })
  }

  #forget(name: Name): void {
    if ((this.#kept.get(name) ?? Number.POSITIVE_INFINITY) <= this.#now) this.#kept.delete(name)
  }
}

async function start(database: string): Promise<Process> {
  const store = await openStore(database)
  const { selfUndoing } = store
  // Of a log, so little is known by heart that it is entered again and again.
  const keys = selfUndoing ? loggedKeys(store, selfUndoing, 3) : keysOf(store)
  return { store, keys }
}

describeStores('of all who ask for a key', ({ kind, url }) => {
  test('one gets it, whatever befell those before and whoever asks, until it has expired', {
    timeout: 60_000,
  }, async () => {
    const database = await url()
    await migrate(await openForTest(database), booksModel())
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const world = await World.open(database)
        try {
          for (const next of steps) await world.go(next)
          await world.look()
        } finally {
          await world.end()
        }
      }),
      { numRuns: kind === 'sqlite' ? 1_200 : 40 },
    )
  })
})
