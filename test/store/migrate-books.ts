import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'
import { booksModel } from './books.ts'

/** A server process that starts: migrates, and says whether it was the one that did. */
const [url = ''] = process.argv.slice(2)
const store = await openStore(url)
const { applied } = await migrateStore(store, booksModel({ publishers: true, sort: ['title'] }))
console.log(applied ? 'applied' : 'found')
await store.close()
