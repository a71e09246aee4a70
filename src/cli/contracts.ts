import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BrokenPromises } from '../contract/broken.ts'
import { guideOf } from '../contract/guide/guide.ts'
import { publishVersion } from '../contract/publish.ts'
import { differenceText } from '../contract/refusal.ts'
import { affectedIn } from '../lifecycle/affected.ts'
import { usageReport } from '../lifecycle/usage-report.ts'
import { withLifecycleStore } from './lifecycle-store.ts'
import { compileLoaded, loadApi } from './load.ts'
import { CommandMistake } from './mistake.ts'
import { namedVersion } from './versions.ts'
import { words } from './words.ts'

/** `nounkit publish API v2`: freezes the contract, unless that breaks what was promised. */
export async function publishCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [place, name] = words(positionals, 2)
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

/** `nounkit guide API v1 v2 [--affected]`: Markdown on standard output; with who is affected, from recorded usage. */
export async function guideCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { affected: { type: 'boolean' } },
    allowPositionals: true,
  })
  const [place, from, to] = words(positionals, 3)
  const model = compileLoaded(await loadApi(place))
  const older = namedVersion(model, from)
  if (older.successor === null) {
    throw new CommandMistake(`${older.name} is the newest version: there is nothing to move to.`)
  }
  const newer = namedVersion(model, to ?? older.successor.name)
  if (model.versions.indexOf(newer) >= model.versions.indexOf(older)) {
    throw new CommandMistake(
      `${newer.name} is not newer than ${older.name}. A guide leads from an older version to a newer one.`,
    )
  }
  if (!values.affected) {
    console.log(guideOf(older, newer))
    return 0
  }
  return withLifecycleStore(place, async ({ store, clock }) => {
    const affected = affectedIn(await usageReport(store, model, clock.now()))
    console.log(guideOf(older, newer, { affected }))
    return 0
  })
}
