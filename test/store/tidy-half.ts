import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'

/** Tidies up without an end: takes the first steps for today's shop as the engine would, says so, and stays there. */
const [url = ''] = process.argv.slice(2)
const store = await openStore(url)
const { steps } = await migrateStore(store, compileApi(shop), { dryRun: true, stops: true, tidy: true })
await store.session(async (session) => {
  await session.script('BEGIN')
  for (const step of steps.filter(({ alone }) => !alone).slice(0, 6)) await session.script(step.sql)
  console.log('half-way')
  await new Promise((resolve) => setTimeout(resolve, 600_000))
})
