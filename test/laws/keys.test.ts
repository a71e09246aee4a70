import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'
import { type Store, StoreError, type Value } from '../../src/store/store.ts'
import { type StoredKeys, storedKeys } from '../../src/write/keys/stored-keys.ts'
import { sweepKeys } from '../../src/write/keys/sweep-keys.ts'
import { booksModel } from '../store/books.ts'
import { type StoreKind, storeForms, storeKinds } from '../support/databases.ts'
import { describeStores, openForTest } from '../support/stores.ts'

/** What becomes of a create once it has its key: it commits, is refused and rolled back, or its whole commit is lost. */
type Fate = 'kept' | 'refused' | 'lost'

interface Create {
  readonly process: 0 | 1
  readonly name: Name
  readonly fate: Fate
  readonly hours: number
  /** Without an interactive transaction, where the store has such writes. */
  readonly alone: boolean
}

type Step =
  | { readonly creates: readonly Create[] }
  | { readonly hoursPass: number }
  | { readonly sweeps: 0 | 1 }
  | { readonly forgets: Name; readonly process: 0 | 1 }
  | { readonly restarts: 0 | 1 }

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
  hours: fc.integer({ min: 1, max: 3 }),
  alone: fc.boolean(),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ creates: fc.array(create, { minLength: 1, maxLength: 6 }) }) },
  fc.record({ hoursPass: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ sweeps: anyProcess }),
  fc.record({ forgets: anyName, process: anyProcess }),
  fc.record({ restarts: anyProcess }),
)

const hour = 3_600_000
const refused = new Error('refused')

interface Process {
  readonly store: Store
  readonly keys: StoredKeys
}

const harmless = `UPDATE "nounkit_meta" SET "value" = "value"`
const oneNameTwice = `INSERT INTO "nounkit_meta" ("key", "value") VALUES ('twice', 'a'), ('twice', 'b')`

type Outcome = 'created' | 'taken' | 'refused' | 'lost'

/** Any error but the three that a create can meet here fails the law. */
async function claim({ store, keys }: Process, wish: Create, now: number): Promise<Outcome> {
  const [account, key] = parts(wish.name)
  const expires = now + wish.hours * hour
  const values: Value[] = [key, 'fingerprint', '/there', `row of ${key}`, now, expires, 'body', '"1"']
  try {
    if (wish.alone && wish.fate !== 'lost' && store.writeClaimed) {
      const write = { sql: wish.fate === 'kept' ? harmless : oneNameTwice, values: [] }
      const claim = keys.claimWrite(account, values)
      const release = keys.releaseWrite(account, key)
      return (await store.writeClaimed({ claim, write, release })) ? 'created' : 'taken'
    }
    return await store.transaction(async (tx) => {
      if (!(await keys.claim(tx, account, values))) return 'taken'
      if (wish.fate === 'lost') await tx.first('ROLLBACK', [])
      if (wish.fate === 'refused') throw refused
      await keys.complete(tx, account, key, [`body of ${key}`, '"2"', now, expires])
      return 'created'
    })
  } catch (error) {
    if (error === refused) return 'refused'
    if (error instanceof StoreError && error.kind === 'unique') return 'refused'
    if (error instanceof StoreError && error.kind === 'unavailable') return 'lost'
    throw error
  }
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
      await sweepKeys(
        this.#processes[next.sweeps].store,
        { now: () => this.#now },
        new AbortController().signal,
      )
      for (const name of names) this.#forget(name)
    } else if ('forgets' in next) {
      await this.#processes[next.process].keys.forgetExpired(...parts(next.forgets), this.#now)
      this.#forget(next.forgets)
    } else {
      await this.#processes[next.restarts].store.close()
      this.#processes[next.restarts] = await start(this.#database)
    }
  }

  /** Every process finds the keys that are kept, and no others. */
  async look(): Promise<void> {
    for (const { keys } of this.#processes)
      for (const name of names)
        expect([name, (await keys.find(...parts(name))) !== undefined]).toEqual([name, this.#kept.has(name)])
  }

  async end(): Promise<void> {
    await this.go({ hoursPass: 1_000 })
    await this.go({ sweeps: 0 })
    await this.look()
    const { store } = this.#processes[0]
    // PostgreSQL's sweepers decide by the clock which process is next, and the clock of the next case starts again.
    await store.writeOne(`DELETE FROM "nounkit_meta" WHERE "key" = 'sweeper'`, [])
    for (const process of this.#processes) await process.store.close()
  }

  async #create(creates: readonly Create[]): Promise<void> {
    const outcomes = await Promise.all(
      creates.map((wish) => claim(this.#processes[wish.process], wish, this.#now)),
    )
    const keptBefore = new Set(this.#kept.keys())
    for (const [at, { name, hours, fate: wished, process }] of creates.entries()) {
      const outcome = outcomes[at]
      if (outcome === 'created') {
        expect([name, this.#kept.has(name)]).toEqual([name, false])
        this.#kept.set(name, this.#now + hours * hour)
      }
      if (outcome === 'refused') expect(wished).toBe('refused')
      if (outcome === 'lost')
        expect(creates.some((one) => one.fate === 'lost' && one.process === process)).toBe(true)
    }
    for (const [at, { name }] of creates.entries())
      if (outcomes[at] === 'taken') expect([name, this.#kept.has(name)]).toEqual([name, true])
    this.#expectOneWinner(creates, outcomes, keptBefore)
  }

  /** Where no commit was lost, a free key that a create claimed and committed is stored. */
  #expectOneWinner(
    creates: readonly Create[],
    outcomes: readonly Outcome[],
    before: ReadonlySet<Name>,
  ): void {
    if (outcomes.includes('lost')) return
    for (const { name, fate: wished } of creates)
      if (wished === 'kept' && !before.has(name)) expect([name, this.#kept.has(name)]).toEqual([name, true])
  }

  #forget(name: Name): void {
    if ((this.#kept.get(name) ?? Number.POSITIVE_INFINITY) <= this.#now) this.#kept.delete(name)
  }
}

async function start(database: string): Promise<Process> {
  const store = await openStore(database)
  return { store, keys: storedKeys(store) }
}

/** PostgreSQL has no commit that several transactions share and lose together. */
const stepsOn = (kind: StoreKind, steps: readonly Step[]): readonly Step[] =>
  kind === 'sqlite'
    ? steps
    : steps.map((one) =>
        'creates' in one
          ? {
              creates: one.creates.map((wish) =>
                wish.fate === 'lost' ? { ...wish, fate: 'refused' as const } : wish,
              ),
            }
          : one,
      )

describeStores(
  'an Idempotency-Key that several requests ask for',
  ({ kind, url }) => {
    test('exactly one request gets a key until it expires, whatever happened to the requests before it and whichever process asks', {
      timeout: 180_000,
    }, async () => {
      const database = await url()
      await migrateStore(await openForTest(database), booksModel())
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          const world = await World.open(database)
          try {
            for (const next of stepsOn(kind, steps)) await world.go(next)
            await world.look()
          } finally {
            await world.end()
          }
        }),
        { numRuns: kind === 'sqlite' ? 100 : 20 },
      )
    })
  },
  process.env.NOUNKIT_NIGHTLY === '1' ? storeForms : storeKinds,
)
