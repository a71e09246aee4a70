import { openStore } from '../../src/store/open.ts'

/** A server process, as far as the store can tell: writes rows, several at a time, and says how it went. */
const [url = '', name = '', count = '0'] = process.argv.slice(2)
const store = await openStore(url)
const writer = async (lane: number): Promise<void> => {
  for (let at = 0; at < Number(count); at++)
    await store.writeOne(`INSERT INTO "things" VALUES (${store.dialect.param(1, 'string')})`, [
      `${name}-${lane}-${at}`,
    ])
}
await Promise.all([0, 1, 2, 3].map(writer))
await store.close()
console.log(`wrote ${4 * Number(count)}`)
