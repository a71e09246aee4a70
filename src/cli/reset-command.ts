import { parseArgs } from 'node:util'
import { clockFromEnvironment } from '../clock.ts'
import { resetStore } from '../lifecycle/reset-store.ts'
import { openStore } from '../store/open.ts'
import { databaseUrl, publishedOf } from './command-store.ts'
import { compileLoaded, loadApi } from './load.ts'
import { positionalsUpTo } from './positionals.ts'

const options = {
  seed: { type: 'boolean' },
  force: { type: 'string' },
} as const

/** `nounkit reset API [--seed] [--force NAME]`: empties the store of an API that is not published yet. */
export async function resetCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const { seed = false, force } = values
  const store = await openStore(databaseUrl(api.declaration))
  try {
    const clock = clockFromEnvironment(process.env)
    await resetStore(store, model, { clock, published: publishedOf(api), forced: force, seed })
  } finally {
    await store.close()
  }
  const rows = seed && api.declaration.seed ? 'has only the rows of its seed' : 'is empty'
  console.log(`The store of ${model.name} ${rows} now. API keys are still valid.`)
  return 0
}
