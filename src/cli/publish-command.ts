import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BrokenPromises } from '../contract/broken-promises.ts'
import { publishVersion } from '../contract/publish.ts'
import { jsonOption } from './command.ts'
import { differenceLine } from './difference-line.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { apiAnd } from './positionals.ts'

export const options = { json: jsonOption } as const

/** `nounkit publish [API] VERSION`: freezes the contract, unless it breaks a published one. */
export async function publishCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place, name] = apiAnd(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const version = namedVersion(model, name)
  const folder = join(api.folder, 'contracts')
  const { path, differences, refusals } = await publishVersion(model, version.name, folder, api.frozen)
  if (path === null) throw new BrokenPromises(refusals)
  if (values.json) {
    console.log(JSON.stringify({ version: version.name, file: path, differences }, null, 2))
    return 0
  }
  for (const difference of differences) console.log(differenceLine(difference))
  console.log(`${version.name} is frozen in contracts/${version.name}.json. Commit it with the declaration.`)
  return 0
}
