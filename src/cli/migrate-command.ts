import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clockFromEnvironment } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { followUnserved, waitingSentence } from '../lifecycle/follow-unserved.ts'
import { demandNobodyServes } from '../lifecycle/serving.ts'
import { openStore } from '../store/open.ts'
import type { Following } from '../store/schema/follow/decisions.ts'
import { migrate } from '../store/schema/migrate-store.ts'
import {
  hasRenames,
  type MigrateOptions,
  type Migration,
  mayBeTaken,
  migrationSql,
} from '../store/schema/migration.ts'
import { recordPublished } from '../store/schema/published.ts'
import type { Store } from '../store/store.ts'
import { terminalAsk } from './ask.ts'
import { CommandMistake } from './command-mistake.ts'
import { databaseUrl, newFileOf, publishedOf } from './command-store.ts'
import { readFill } from './fill-flags.ts'
import { compileLoaded, loadApi } from './load.ts'
import { positionalsUpTo } from './positionals.ts'

const options = {
  'dry-run': { type: 'boolean' },
  rename: { type: 'boolean' },
  force: { type: 'boolean' },
  citus: { type: 'boolean' },
  shards: { type: 'string' },
  fill: { type: 'string', multiple: true },
  'accept-data-loss': { type: 'boolean' },
} as const

/** `nounkit migrate API`: migrates the store to fit the declaration, or prints what that would take. */
export async function migrateCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const published = publishedOf(api)
  const following = {
    fill: readFill(values.fill ?? [], model),
    acceptDataLoss: values['accept-data-loss'] ?? false,
  }
  if (published.length > 0 && (following.fill.size > 0 || following.acceptDataLoss))
    throw new CommandMistake(
      `--fill and --accept-data-loss are for an API without a published version, and ${published.join(', ')} is published: its store only grows. See docs/how-to/migrations.md.`,
    )
  const asked = {
    dryRun: values['dry-run'] ?? false,
    rename: values.rename ?? false,
    citus: values.citus ?? false,
    ...shardsOf(values.shards, values.citus),
    waiting: (sentence: string) => console.error(sentence),
  }
  return withDryRunStore(databaseUrl(api.declaration), asked.dryRun, async (store) => {
    if (published.length === 0 && !asked.citus)
      return followCommand(store, model, following, { dryRun: asked.dryRun, force: values.force ?? false })
    const { steps } =
      asked.rename && !asked.dryRun && !values.force
        ? await renameUnserved(store, model, asked)
        : await migrate(store, model, asked)
    const refused = steps.filter((step) => !mayBeTaken(step, asked)).length
    if (!asked.dryRun) await recordPublished(store, published)
    if (steps.length === 0) console.log(nothingToDo)
    else console.log(`${migrationSql(steps)}\n${outcome(steps.length, refused, asked.dryRun)}`)
    return refused > 0 ? 1 : 0
  })
}

const mostShards = 64_000

function shardsOf(text: string | undefined, citus: boolean | undefined): Pick<MigrateOptions, 'shards'> {
  if (text === undefined) return {}
  if (!citus) throw new CommandMistake('--shards is for a Citus cluster: write --citus too, or leave it out.')
  const shards = Number(text)
  if (!Number.isInteger(shards) || shards < 1 || shards > mostShards)
    throw new CommandMistake(`--shards is ${JSON.stringify(text)}. Write a whole number, for example 32.`)
  return { shards }
}

/** While nothing is published, the store follows the declaration. */
async function followCommand(
  store: Store,
  model: Model,
  following: Following,
  options: { readonly dryRun: boolean; readonly force: boolean },
): Promise<number> {
  const ask = terminalAsk()
  const clock = clockFromEnvironment(process.env)
  const { notes, losses, additions } = await followUnserved(
    store,
    model,
    { ...following, ...(ask && { ask }) },
    { ...options, clock, waiting: console.error },
  )
  if (additions.length > 0) console.log(migrationSql(additions))
  for (const note of notes) console.log(`${note}.`)
  if (options.dryRun) for (const loss of losses) console.log(loss)
  const all = notes.length + additions.length
  console.log(all === 0 ? nothingToDo : outcome(all, 0, options.dryRun))
  return options.dryRun && losses.length > 0 && !following.acceptDataLoss ? 1 : 0
}

const nothingToDo = 'The store fits the declaration. Nothing to do.'

/** Renames only while no process serves the store. Processes are looked for only when there is something to rename. */
async function renameUnserved(store: Store, model: Model, asked: MigrateOptions): Promise<Migration> {
  const { steps } = await migrate(store, model, { ...asked, dryRun: true })
  if (!hasRenames(steps)) return migrate(store, model, asked)
  const nobody = await demandNobodyServes(store, clockFromEnvironment(process.env), { waiting })
  return migrate(store, model, { ...asked, beforeRenames: nobody.again })
}

const waiting = (processes: number): void => console.error(waitingSentence(processes))

/** A dry run without a SQLite file uses a temporary one, so that it creates none. */
async function withDryRunStore(
  url: string,
  dryRun: boolean,
  work: (store: Store) => Promise<number>,
): Promise<number> {
  const folder = dryRun && newFileOf(url) !== null ? await mkdtemp(join(tmpdir(), 'nounkit-dry-run-')) : null
  try {
    const store = await openStore(folder === null ? url : `sqlite:${join(folder, 'store.db')}`)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }
}

const outcome = (steps: number, refused: number, dryRun: boolean): string => {
  if (refused > 0) {
    const marked = refused === 1 ? 'one is' : `${refused} are`
    return `Nothing would be applied: of ${counted(steps)} ${marked} marked as not applied.`
  }
  if (dryRun) return `${counted(steps)} would be applied.`
  return `${counted(steps)} ${steps === 1 ? 'was' : 'were'} applied.`
}

const counted = (steps: number): string => (steps === 1 ? '1 step' : `${steps} steps`)
