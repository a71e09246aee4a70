import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clockFromEnvironment } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import { followUnserved, waitingSentence } from '../lifecycle/follow-unserved.ts'
import { demandNobodyServes } from '../lifecycle/serving.ts'
import type { Ask, Following } from '../migrate/decide/open-decisions.ts'
import { migrate } from '../migrate/migrate-store.ts'
import { type MigrateOptions, type Migration, mayBeTaken, needsStop } from '../migrate/migration.ts'
import { recordPublished } from '../migrate/record/published.ts'
import { releaseOf } from '../migrate/release.ts'
import { refuseForRows } from '../migrate/rows/rows-in-the-way.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { terminalAsk } from './ask.ts'
import { jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { databaseUrl, newFileOf, publishedOf } from './command-store.ts'
import { readFill } from './fill-flags.ts'
import { compileLoaded, loadApi } from './load.ts'
import { reportMigration } from './migrate-report.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress, type Progress } from './progress.ts'

export const options = {
  'dry-run': { type: 'boolean', does: 'prints what would be done and changes nothing' },
  fill: {
    type: 'string',
    multiple: true,
    value: 'FIELD=VALUE',
    does: 'the value of a field such as orders.note for rows that have none, or one that is no longer allowed; repeatable',
  },
  'accept-data-loss': { type: 'boolean', does: 'does what loses data without a question' },
  tidy: {
    type: 'boolean',
    does: 'gives tables, columns and values the declared names, which nothing but other programs needs',
  },
  force: { type: 'boolean', does: 'does not check whether processes serve the store' },
  citus: { type: 'boolean', does: 'distributes the tables over a Citus cluster' },
  shards: { type: 'string', value: 'N', does: 'with --citus, over how many shards' },
  json: jsonOption,
} as const

/** `nounkit migrate [API]`: migrates the store to fit the declaration, or prints what that would take. */
export async function migrateCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  // Else the store would get a column beside the one that a published version still reads.
  refuseBrokenPromises(model, api.frozen)
  const published = publishedOf(api)
  const following = {
    fill: readFill(values.fill ?? [], model),
    acceptDataLoss: values['accept-data-loss'] ?? false,
  }
  if (published.length > 0 && (following.fill.size > 0 || following.acceptDataLoss))
    throw new CommandMistake(
      `--fill and --accept-data-loss are for an API without a published version, and ${published.join(', ')} is published: its store only grows. See docs/how-to/migrations.md.`,
    )
  const progress = openProgress()
  const asked = {
    dryRun: values['dry-run'] ?? false,
    stops: true,
    tidy: values.tidy ?? false,
    citus: values.citus ?? false,
    ...shardsOf(values.shards, values.citus),
    waiting(sentence: string) {
      progress.end()
      console.error(sentence)
    },
    stepping: (why: string, done: number, total: number) => progress.show(why, done, total),
  }
  const work = async (store: Store): Promise<number> => {
    if (published.length === 0 && !asked.citus)
      return followCommand(store, model, following, {
        progress,
        dryRun: asked.dryRun,
        force: values.force ?? false,
        json: values.json ?? false,
      })
    const { steps } =
      asked.dryRun || values.force
        ? await migrate(store, model, asked)
        : await migrateUnserved(store, model, asked)
    if (asked.dryRun) await refuseForRows(store, steps)
    progress.end()
    if (!asked.dryRun) await recordPublished(store, published)
    const refused = new Set(steps.filter((step) => !mayBeTaken(step, asked)))
    return reportMigration(
      { dryRun: asked.dryRun, steps, refused, notes: [], losses: [], release: releaseOf(steps) },
      { json: values.json ?? false, ok: refused.size === 0 },
    )
  }
  try {
    return await withDryRunStore(databaseUrl(api.declaration), asked.dryRun, work)
  } finally {
    progress.end()
  }
}

const mostShards = 64_000

function shardsOf(text: string | undefined, citus: boolean | undefined): Pick<MigrateOptions, 'shards'> {
  if (text === undefined) return {}
  if (!citus) throw new UsageMistake('--shards is for a Citus cluster: write --citus too, or leave it out.')
  const shards = Number(text)
  if (!Number.isInteger(shards) || shards < 1 || shards > mostShards)
    throw new UsageMistake(`--shards is ${JSON.stringify(text)}. Write a whole number, for example 32.`)
  return { shards }
}

interface FollowFlags {
  readonly progress: Progress
  readonly dryRun: boolean
  readonly force: boolean
  readonly json: boolean
}

/** While nothing is published, the store follows the declaration. */
async function followCommand(
  store: Store,
  model: Model,
  following: Following,
  { progress, dryRun, force, json }: FollowFlags,
): Promise<number> {
  const ask = json ? undefined : terminalAsk()
  const askBelow: Ask | undefined =
    ask &&
    ((question) => {
      progress.end()
      return ask(question)
    })
  const waiting = (sentence: string): void => {
    progress.end()
    console.error(sentence)
  }
  const clock = clockFromEnvironment(process.env)
  const { notes, losses, additions } = await followUnserved(
    store,
    model,
    { ...following, ...(askBelow && { ask: askBelow }) },
    { dryRun, force, clock, waiting, stepping: progress.show },
  )
  // Tables that are rebuilt are looked at when they are.
  if (dryRun && notes.length === 0) await refuseForRows(store, additions)
  progress.end()
  return reportMigration(
    { dryRun, steps: additions, refused: new Set(), notes, losses, release: null },
    { json, ok: !dryRun || losses.length === 0 || following.acceptDataLoss === true },
  )
}

/** Does what older processes do not survive only while none serves the store. Processes are looked for only where there is such a step. */
async function migrateUnserved(store: Store, model: Model, asked: MigrateOptions): Promise<Migration> {
  const { steps } = await migrate(store, model, { ...asked, dryRun: true })
  if (!needsStop(steps)) return migrate(store, model, asked)
  const nobody = await demandNobodyServes(store, clockFromEnvironment(process.env), { waiting })
  return migrate(store, model, { ...asked, beforeStop: nobody.again })
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
