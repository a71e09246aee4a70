import { expect, test } from 'vitest'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Store } from '../../src/store/store.ts'
import { inTurn } from '../../src/store/turns.ts'
import { minuteMs } from '../../src/times.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'
import { booksModel } from './books.ts'

const part = { name: 'dusting', everyMs: minuteMs }
const { signal } = new AbortController()

describeStores('housekeeping takes turns', ({ open, url }) => {
  const clock = setClock('2026-03-01T00:00:00Z')

  async function processes(count: number): Promise<readonly Store[]> {
    const database = await url()
    const stores = []
    for (let number = 0; number < count; number++) stores.push(await open(database))
    if (stores[0]) await migrateStore(stores[0], booksModel())
    return stores
  }

  test('of many processes that begin at once one works, and nobody before it is due again', async () => {
    const stores = await processes(3)
    let ran = 0
    const all = () =>
      Promise.all(
        stores.map((store) =>
          inTurn(store, clock, part, signal, async () => {
            ran++
          }),
        ),
      )
    await all()
    expect(ran).toBe(1)
    clock.pass(minuteMs / 2)
    await all()
    expect(ran).toBe(1)
    clock.pass(minuteMs / 2)
    await all()
    expect(ran).toBe(2)
  })

  test('while one works no other does, however long it takes, until its turn has passed', async () => {
    const [first, second] = await processes(2)
    if (!first || !second) throw new Error('two processes')
    const gate = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const working = inTurn(first, clock, part, signal, () => {
      began.resolve()
      return gate.promise
    })
    await began.promise
    let ran = 0
    const other = () =>
      inTurn(second, clock, part, signal, async () => {
        ran++
      })
    clock.pass(4 * minuteMs)
    await other()
    expect(ran).toBe(0)
    // As if the first had been killed.
    clock.pass(2 * minuteMs)
    await other()
    expect(ran).toBe(1)
    gate.resolve()
    await working
    // The end of a turn that has passed does not shorten the next one.
    await other()
    expect(ran).toBe(1)
  })

  test('a process that fails ends its turn, and a clock that was ahead stops nobody', async () => {
    const [store] = await processes(1)
    if (!store) throw new Error('one process')
    const failing = inTurn(store, clock, part, signal, () => Promise.reject(new Error('no dust')))
    await expect(failing).rejects.toThrow('no dust')
    let ran = 0
    const again = () =>
      inTurn(store, clock, part, signal, async () => {
        ran++
      })
    clock.pass(minuteMs)
    await again()
    expect(ran).toBe(1)
    const ahead = { now: () => clock.now() + 1_000 * minuteMs }
    await inTurn(store, ahead, part, signal, async () => {})
    await again()
    expect(ran).toBe(2)
  })
})
