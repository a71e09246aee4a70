import { clockFromEnvironment } from '../clock.ts'
import { resetStore } from '../lifecycle/reset-store.ts'
import { type Given, jsonOption } from './command.ts'
import { databaseUrl, openExistingStore, publishedOf } from './command-store.ts'
import { compileLoaded, loadApi } from './load.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  seed: { type: 'boolean', does: 'inserts the rows of the seed again' },
  force: {
    type: 'string',
    value: 'NAME',
    does: 'also where a version is published; NAME is that of the API',
  },
  json: jsonOption,
} as const

/** `nounkit reset [API]`: empties the store of an API that is not published yet. */
export async function resetCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const { seed = false, force } = flags
  const store = await openExistingStore(databaseUrl(api.declaration))
  try {
    const clock = clockFromEnvironment(process.env)
    await resetStore(store, model, { clock, published: publishedOf(api), forced: force, seed })
  } finally {
    await store.close()
  }
  if (flags.json) {
    console.log(JSON.stringify({ api: model.name, seeded: seed && api.declaration.seed !== undefined }))
    return 0
  }
  const rows = seed && api.declaration.seed ? 'has only the rows of its seed' : 'is empty'
  console.log(`The store of ${model.name} ${rows} now. API keys are still valid.`)
  return 0
}
