import { join } from 'node:path'
import { clockFromEnvironment } from '../clock.ts'
import type { Model, Version } from '../compile/model.ts'
import { BrokenPromises } from '../contract/broken-promises.ts'
import { publishVersion } from '../contract/publish.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { whyNot } from '../migrate/plan/store-plan.ts'
import { openStore } from '../store/open.ts'
import { StoreRefused } from '../store/store.ts'
import { dayOf } from '../times.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake } from './command-mistake.ts'
import { databaseUrl, newFileOf } from './command-store.ts'
import { differenceJson, differenceLine } from './difference-line.ts'
import { compileLoaded, type LoadedApi, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { apiAnd } from './positionals.ts'
import { warn } from './warn.ts'

export const options = {
  'skip-store': { type: 'boolean', does: 'does not compare the rows of the store' },
  json: jsonOption,
} as const

/** `nounkit publish [API] VERSION`: freezes the contract, unless it breaks a published one or stored rows do not fit it. */
export async function publishCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place, name] = apiAnd(words, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const version = namedVersion(model, name)
  if (!flags['skip-store']) await refuseUnfitStore(api, model, version)
  const folder = join(api.folder, 'contracts')
  const { path, differences, refusals } = await publishVersion(model, version.name, folder, api.frozen)
  if (path === null) throw new BrokenPromises(refusals)
  const published = version.published?.date ?? null
  if (published === null) warn(undated(version.name, api))
  if (flags.json) {
    const shown = differences.map(differenceJson)
    console.log(JSON.stringify({ version: version.name, published, file: path, differences: shown }, null, 2))
    return 0
  }
  for (const difference of differences) console.log(differenceLine(difference))
  const dated = published === null ? version.name : `${version.name}, published on ${published},`
  console.log(`${dated} is frozen in contracts/${version.name}.json. Commit it with the declaration.`)
  return 0
}

function undated(name: string, { declaration }: LoadedApi): string {
  const line = `version('${name}', { published: '${dayOf(clockFromEnvironment(process.env).now())}' })`
  const where = declaration.versions ? `Declare ${line}` : `Add versions: [${line}] to api(…)`
  return `${name} has no date of publication. ${where}, and run nounkit publish ${name} again: consumers are told the date, and the time until a sunset counts from it.`
}

/** Once a version is published the store only grows, so rows that do not fit the first one would stay. A store that does not exist yet is not created. */
async function refuseUnfitStore(
  { declaration, frozen }: LoadedApi,
  model: Model,
  version: Version,
): Promise<void> {
  const url = databaseUrl(declaration)
  if (frozen.contracts.size + frozen.refusals.length > 0 || newFileOf(url) !== null) return
  const whys = await comparedWith(url, model)
  if (whys.length === 0) return
  const how = version.published
    ? `Take published out of version('${version.name}', …), run nounkit migrate, then set the date again and publish.`
    : 'Run nounkit migrate, then publish.'
  throw new CommandMistake(
    [
      'The store does not fit what would be frozen, and nothing was published. While no version is published, nounkit migrate makes it fit; later it only grows.',
      ...whys.map((why) => `- ${why}.`),
      `${how} --skip-store publishes without comparing the store.`,
    ].join('\n'),
  )
}

async function comparedWith(url: string, model: Model): Promise<readonly string[]> {
  const store = await openStore(url).catch((error: unknown) => {
    if (!(error instanceof StoreRefused)) throw error
    throw new CommandMistake(
      `The store cannot be compared with what would be frozen, and nothing was published. ${error.message} Or use --skip-store.`,
    )
  })
  try {
    return whyNot((await migrateStore(store, model, { decider: { by: 'nobody' }, dryRun: true })).plan)
  } finally {
    await store.close()
  }
}
