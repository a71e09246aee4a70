import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BrokenPromises } from '../contract/broken.ts'
import { contractOf } from '../contract/contract.ts'
import { compareContracts } from '../contract/diff.ts'
import { isBreaking } from '../contract/difference.ts'
import { guideOf } from '../contract/guide.ts'
import { publishVersion } from '../contract/publish.ts'
import { differenceText } from '../contract/refusal.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './versions.ts'

/** `nounkit publish API v2`: freezes the contract, unless that breaks what was promised. */
export async function publishCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const api = await loadApi(positionals[0])
  const model = compileLoaded(api)
  const version = namedVersion(model, positionals[1])
  const folder = join(api.folder, 'contracts')
  const { path, differences, refusals } = await publishVersion(
    model,
    version.name,
    folder,
    api.frozen.contracts,
  )
  if (path === null) throw new BrokenPromises(refusals)
  for (const difference of differences) console.log(differenceText(difference))
  console.log(`${version.name} is frozen in contracts/${version.name}.json. Commit it with the declaration.`)
  return 0
}

/** `nounkit diff API v1 v2 [--json]` */
export async function diffCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  })
  const model = compileLoaded(await loadApi(positionals[0]))
  const older = namedVersion(model, positionals[1])
  const newer = namedVersion(model, positionals[2])
  const differences = compareContracts(contractOf(model, older), contractOf(model, newer))
  if (values.json) console.log(JSON.stringify(differences, null, 2))
  else {
    for (const difference of differences) console.log(differenceText(difference))
    const breaking = differences.filter(isBreaking).length
    console.log(`${differences.length} differences, ${breaking} of them breaking.`)
  }
  return 0
}

/** `nounkit guide API v1 v2`: Markdown on standard output. */
export async function guideCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const model = compileLoaded(await loadApi(positionals[0]))
  const older = namedVersion(model, positionals[1])
  const newer = namedVersion(model, positionals[2] ?? older.successor?.name)
  console.log(guideOf(older, newer))
  return 0
}
