import { expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { openProgress } from '../../src/cli/progress.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { until } from '../support/until.ts'

const terminal = (isTTY: boolean) => {
  const written: string[] = []
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0
  return { written, stream: { isTTY, columns: 60, write } }
}

test('progress is drawn on a terminal over its own line, the newest at last, and is gone at the end', async () => {
  const { written, stream } = terminal(true)
  const progress = openProgress(stream)
  progress.show('orders is new', 0, 2)
  progress.show('items is new', 1, 2)
  await until(() => written.length === 2)
  progress.show('x'.repeat(100))
  progress.end()
  progress.end()
  const bar = (full: number) => `${'█'.repeat(full)}${'░'.repeat(30 - full)}`
  expect(written.slice(0, 2)).toEqual([`\r\x1b[K${bar(0)} orders is new`, `\r\x1b[K${bar(15)} items is new`])
  expect(written.at(-1)).toBe('\r\x1b[K')
  for (const line of written) expect(line.length).toBeLessThan('\r\x1b[K'.length + 60)
})

test('nothing is drawn where standard error is no terminal', () => {
  const { written, stream } = terminal(false)
  const progress = openProgress(stream)
  progress.show('orders is new', 0, 2)
  progress.end()
  expect(written).toEqual([])
})

test.each(storeKinds)('a migration on %s says each step before it is taken', async (kind) => {
  const store = await openStore(await emptyDatabase(kind))
  try {
    const told: (readonly [string, number, number])[] = []
    const { steps } = await migrateStore(store, compileApi(shop), { stepping: (...step) => told.push(step) })
    expect(told[0]).toEqual([steps[0]?.why, 0, steps.length])
    expect(told.every(([, done, total]) => done < total && total === steps.length)).toBe(true)
  } finally {
    await store.close()
  }
})

test.each(storeKinds)(
  'an unpublished store on %s says which rows are copied, before they are',
  async (kind) => {
    const store = await openStore(await emptyDatabase(kind))
    const notes = (text: z.ZodType) =>
      compileApi(api('notes', { resources: [resource('notes', { fields: { text } })] }))
    try {
      const told: (readonly [string, number, number])[] = []
      const follow = (text: z.ZodType) =>
        migrateStore(store, notes(text), {
          decider: { by: 'person' },
          stepping: (...step) => told.push(step),
        })
      await follow(z.string())
      expect(told.length).toBeGreaterThan(0)
      await follow(z.string().optional())
      expect(told).toContainEqual(['comparing the rows with the declaration', 0, 0])
      expect(told.map(([why]) => why)).toContain('rows of notes fit its declaration')
    } finally {
      await store.close()
    }
  },
)
