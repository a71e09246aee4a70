import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { changeType, renameResource } from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { followImages } from '../../src/lifecycle/follow-images.ts'
import { followMigrations } from '../../src/lifecycle/outdated.ts'
import { openRecorder } from '../../src/lifecycle/recorder.ts'
import { readUnended } from '../../src/lifecycle/recorder-rows.ts'
import { demandNobodyServes } from '../../src/lifecycle/serving.ts'
import { startLifecycle } from '../../src/lifecycle/start-lifecycle.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { readGeneration } from '../../src/migrate/record/store-generation.ts'
import { StoreRefused } from '../../src/store/store.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

const older = compileApi(
  api('market', { resources: [resource('things', { fields: { label: z.string(), size: z.string() } })] }),
)
const newer = compileApi(
  api('market', {
    resources: [resource('items', { fields: { label: z.string(), size: z.int() } })],
    versions: [
      version('v2'),
      version('v1', {
        changes: [
          renameResource('things', 'items'),
          changeType('items', 'size', { was: z.string(), codec: 'integer-as-string' }),
        ],
      }),
    ],
  }),
)
const clock = setClock('2026-01-05T00:00:00Z')
const nothing = { patienceMs: 0 }
const long = { patienceMs: 60_000 }

describeStores('the processes that serve a store', (stores) => {
  const opened = async () => {
    const store = await stores.open()
    await migrateStore(store, older)
    return store
  }

  test('are those that are seen to write, whatever their clocks say', async () => {
    const store = await opened()
    const behind = setClock('2026-01-04T23:58:00Z')
    const recorder = await openRecorder({ store, clock: behind })
    const flush = () => {
      behind.pass(1)
      void recorder.flush()
    }
    const asked = demandNobodyServes(store, clock, { ...long, waiting: flush })
    await expect(asked).rejects.toThrow(StoreRefused)
    await expect(asked).rejects.toThrow(`process ${process.pid} on `)
    await expect(asked).rejects.toThrow('serving since 2026-01-04T23:58:00.000Z')
    // Of the commands, migrate alone has a --force that leaves the question out.
    await expect(asked).rejects.toThrow(/Stop them and run it again\.$/)
    const forcible = demandNobodyServes(store, clock, { ...long, waiting: flush, hasForce: true })
    await expect(forcible).rejects.toThrow(/run it again, or use --force if you know that they are dead\.$/)
    const emptying = demandNobodyServes(store, clock, { ...long, waiting: flush, emptying: true })
    await expect(emptying).rejects.toThrow(
      /is not emptied meanwhile\. (?:.*\n)+Stop them and run it again\.$/,
    )
  })

  test('are not those that ended, were killed long ago, or stopped writing', async () => {
    const store = await opened()
    await openRecorder({ store, clock: setClock('2026-01-04T23:00:00Z') })
    await (await openRecorder({ store, clock })).end()
    const waited: number[] = []
    const waiting = (processes: number) => void waited.push(processes)
    await demandNobodyServes(store, clock, { ...long, waiting })
    expect(waited).toEqual([])
    await openRecorder({ store, clock })
    await demandNobodyServes(store, clock, { ...nothing, waiting })
    expect(waited).toEqual([1])
  })

  test('are checked again right before a conversion: one that started meanwhile is seen', async () => {
    const store = await opened()
    const { again } = await demandNobodyServes(store, clock, nothing)
    await openRecorder({ store, clock })
    await expect(migrateStore(store, newer, { stops: true, beforeStop: again })).rejects.toThrow(StoreRefused)
    expect((await migrateStore(store, older)).steps).toEqual([])
  })

  test('are outdated once the store was migrated past them', async () => {
    const store = await opened()
    const outdated = followMigrations(store, await readGeneration(store))
    await outdated.check()
    expect(outdated.is).toBe(false)
    await migrateStore(store, newer, { stops: true })
    await outdated.check()
    expect([outdated.is, await outdated.when]).toEqual([true, 'nounkit migrate has changed the store'])
  })

  test('do not change during a conversion: one that starts then waits, sees it, and does not serve', async () => {
    const store = await opened()
    const outdated = followMigrations(store, await readGeneration(store))
    const start = () =>
      startLifecycle({
        store,
        model: older,
        clock,
        outdated,
        images: followImages(store, older, () => {}),
        warn: () => {},
        everyMs: null,
      })
    const { promise: starting, resolve } = Promise.withResolvers<Promise<unknown>>()
    const beforeStop = async () => {
      const { again } = await demandNobodyServes(store, clock, nothing)
      // The insert of its row waits for the lock, and the conversion does not wait for it.
      resolve(start().catch((error: unknown) => error))
      await again()
    }
    await migrateStore(store, newer, { stops: true, beforeStop })
    expect(await await starting).toBeInstanceOf(StoreRefused)
    expect(await readUnended(store)).toEqual([])
  })
})
