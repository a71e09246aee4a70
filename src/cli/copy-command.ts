import { clockFromEnvironment } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { otherServers } from '../lifecycle/serving.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { type Copied, copyStore } from '../transfer/copy-store.ts'
import { demandFit } from '../transfer/demand-fit.ts'
import { leftBehind } from '../transfer/left-behind.ts'
import { aligned } from './aligned.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { databaseUrl, newFileOf, whyNoStore } from './command-store.ts'
import { compileLoaded, loadApi } from './load.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'
import { warn } from './warn.ts'

export const options = {
  to: { type: 'string', value: 'URL', does: 'the empty store; needed' },
  from: { type: 'string', value: 'URL', does: 'the store to copy; that of DATABASE_URL by default' },
  json: jsonOption,
} as const

/** `nounkit copy [API] --from URL --to URL`: copies everything to an empty store. */
export async function copyCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const { to: target } = flags
  if (!target)
    throw new UsageMistake(
      'Where to? Name an empty store: --to postgres://user:password@host/database, or --to sqlite:new.db',
    )
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const origin = flags.from || databaseUrl(api.declaration)
  if (origin === target) throw new UsageMistake('--from and --to name the same store.')
  const missing = newFileOf(origin)
  if (missing !== null) throw new CommandMistake(`There is no store to copy from: ${whyNoStore(missing)}.`)
  const progress = openProgress()
  const from = await openStore(origin)
  try {
    // Checked before the target is opened, which creates its file.
    await demandFit(from, model)
    await warnOfServers(from)
    await warnOfUndeclared(from, model)
    const to = await openStore(target)
    try {
      const copied = await copyStore({
        model,
        from,
        to,
        progress: (table, rows) => progress.show(`${table}: ${counted(rows, 'row')}`),
        warn,
      })
      progress.end()
      report(copied, flags.json ?? false)
      return 0
    } finally {
      progress.end()
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/** The copy is a snapshot, and what these processes write later is not in it. */
async function warnOfServers(from: Store): Promise<void> {
  const servers = await otherServers(from, clockFromEnvironment(process.env))
  if (servers.length > 0)
    warn(
      `the store to copy from is being served, by ${servers.join(', ')}. What is written to it from now on is not in the copy. Before you serve the copy, stop what writes to this store, and copy once more, to an empty store.`,
    )
}

/** A store keeps what is no longer declared, and a copy does not. */
async function warnOfUndeclared(from: Store, model: Model): Promise<void> {
  const found = await leftBehind(from, model)
  if (found.length > 0)
    warn(
      `the declaration does not have ${found.join(', ')}. That is not copied: keep the store to copy from, or a backup of it, if you may need it.`,
    )
}

function report(copied: readonly Copied[], json: boolean): void {
  if (json) {
    console.log(
      JSON.stringify({ tables: Object.fromEntries(copied.map(({ table, rows }) => [table, rows])) }),
    )
    return
  }
  const filled = copied.filter(({ rows }) => rows > 0)
  for (const line of aligned(filled.map(({ table, rows }) => [table, counted(rows, 'row')])))
    console.log(line)
  const all = copied.reduce((sum, { rows }) => sum + rows, 0)
  console.log(`Copied ${counted(all, 'row')} of ${counted(filled.length, 'table')}.`)
}
