import { guideOf } from '../contract/guide/guide.ts'
import { affectedIn, usageReport } from '../lifecycle/usage-report.ts'
import type { Given } from './command.ts'
import { CommandMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { apiAnd } from './positionals.ts'

export const options = {
  affected: { type: 'boolean', does: 'names the consumers that each change affects, from recorded usage' },
} as const

/** `nounkit guide [API] FROM [TO]`: prints the guide as Markdown, with the affected consumers from recorded usage. */
export async function guideCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place, from, to] = apiAnd(words, 2)
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
  if (!flags.affected) {
    console.log(guideOf(older, newer))
    return 0
  }
  return withStore(place, async ({ store, clock }) => {
    const affected = affectedIn(await usageReport(store, model, clock.now()))
    console.log(guideOf(older, newer, { affected }))
    return 0
  })
}
