import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BrokenPromises } from '../contract/broken-promises.ts'
import { differenceText } from '../contract/gate-refusal.ts'
import { publishVersion } from '../contract/publish.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { positionalsUpTo } from './positionals.ts'

/** `nounkit publish API v2`: freezes the contract, unless it breaks a published one. */
export async function publishCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [place, name] = positionalsUpTo(positionals, 2)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const version = namedVersion(model, name)
  const folder = join(api.folder, 'contracts')
  const { path, differences, refusals } = await publishVersion(model, version.name, folder, api.frozen)
  if (path === null) throw new BrokenPromises(refusals)
  for (const difference of differences) console.log(differenceText(difference))
  console.log(`${version.name} is frozen in contracts/${version.name}.json. Commit it with the declaration.`)
  return 0
}
