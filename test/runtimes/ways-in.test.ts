import { globSync } from 'node:fs'
import { afterAll, beforeAll, describe } from 'vitest'
import { walkedStores } from '../support/databases.ts'
import { onlyOn } from '../support/stores.ts'
import { goThrough, waysIn } from '../support/way-in.ts'

/** Small files with all kinds of requests and answers. The nightly form runs all. */
const some = ['events', 'methods', 'problems', 'put']
const all = globSync('test/http/*.test.ts').map((path) => path.replace(/^.*\/(.*)\.test\.ts$/, '$1'))
const names = process.env.NOUNKIT_NIGHTLY === '1' ? all : some

describe.each(waysIn)('HTTP tests through %s', async (way) => {
  let before: string
  beforeAll(() => {
    before = goThrough(way)
  })
  afterAll(() => void goThrough(before))
  await onlyOn(walkedStores, async () => {
    // The query makes a file a module of its own, which registers its tests here.
    for (const name of names)
      await import(/* @vite-ignore */ `../http/${name}.test.ts?way=${waysIn.indexOf(way)}`)
  })
})
