import { pathToFileURL } from 'node:url'
import { compileApi } from '../../src/compile/compile.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'
import type { Session, Store } from '../../src/store/store.ts'

/** Follows a declaration until the first statement that matches the pattern has run, says so, and stays there. */
const [url = '', file = '', pattern = ''] = process.argv.slice(2)
const declaration = (await import(pathToFileURL(file).href)).default
const store = await openStore(url)
const stopping = (session: Session): Session => ({
  all: session.all,
  async script(sql) {
    await session.script(sql)
    if (!new RegExp(pattern).test(sql)) return
    console.log('half-way')
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  },
})
const half: Store = {
  ...store,
  dialect: store.dialect,
  session: (work) => store.session((session) => work(stopping(session))),
}
await migrateStore(half, compileApi(declaration), { decider: { by: 'person', acceptDataLoss: true } })
