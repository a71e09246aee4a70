import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clockFromEnvironment } from '../clock.ts'
import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import { migrateUnserved } from '../lifecycle/migrate-unserved.ts'
import { forgetLostNames } from '../migrate/bind-model.ts'
import { refuseToFollow } from '../migrate/decide/not-followed.ts'
import type { Ask } from '../migrate/decide/questions-to-people.ts'
import {
  isShownAddition,
  type MigrateOptions,
  MigrationRefused,
  mayBeTaken,
  shownSteps,
} from '../migrate/migration.ts'
import { needsStop } from '../migrate/plan/store-plan.ts'
import { recordPublished } from '../migrate/record/published.ts'
import { releaseOf } from '../migrate/release.ts'
import { refuseBeforehand } from '../migrate/rows/rows-in-the-way.ts'
import { sqlScript } from '../migrate/sql-script.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { terminalAsk } from './ask.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { databaseUrl, newFileOf, publishedOf } from './command-store.ts'
import { readFill } from './fill-flags.ts'
import { compileLoaded, loadApi } from './load.ts'
import { reportMigration } from './migrate-report.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress, type Progress } from './progress.ts'

export const options = {
  'dry-run': { type: 'boolean', does: 'prints what would be done and changes nothing' },
  sql: {
    type: 'boolean',
    does: 'prints the SQL for people whose database is changed by others, and changes nothing',
  },
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
  'find-names': {
    type: 'boolean',
    does: 'makes the record of names anew from what the tables have, where it was lost',
  },
  force: { type: 'boolean', does: 'does not check whether processes serve the store' },
  citus: { type: 'boolean', does: 'distributes the tables over a Citus cluster' },
  shards: { type: 'string', value: 'N', does: 'with --citus, over how many shards' },
  json: jsonOption,
} as const

/** `nounkit migrate [API]`: migrates the store to fit the declaration, or prints what that would take. */
export async function migrateCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  // Else the store would get a column beside the one that a published version still reads.
  refuseBrokenPromises(model, api.frozen)
  const published = publishedOf(api)
  const fill = readFill(flags.fill ?? [], model)
  const acceptDataLoss = flags['accept-data-loss'] ?? false
  if (published.length > 0 && (fill.size > 0 || acceptDataLoss))
    throw new CommandMistake(
      `--fill and --accept-data-loss are for an API without a published version, and ${published.join(', ')} is published: its store only grows. See docs/how-to/migrations.md.`,
    )
  const { json = false, sql = false, citus = false } = flags
  const shards = shardsOf(flags.shards, flags.citus)
  const url = databaseUrl(api.declaration)
  if (citus && url.startsWith('sqlite:'))
    throw new CommandMistake('--citus is for PostgreSQL, and the store is a SQLite file. Leave it out.')
  if (sql && json) throw new UsageMistake('--sql prints SQL, and --json prints JSON: leave one of them out.')
  const dryRun = sql || (flags['dry-run'] ?? false)
  if (dryRun && flags['find-names'])
    throw new UsageMistake('--find-names changes what the store has recorded: leave --dry-run and --sql out.')
  const progress = openProgress()
  const ask = json ? undefined : terminalAsk()
  const person = {
    by: 'person',
    fill,
    acceptDataLoss,
    ...(ask && { ask: askBelow(progress, ask) }),
  } as const
  // What is made for a cluster is made to be published.
  const isOpen = published.length === 0 && !citus
  const work = async (store: Store): Promise<number> => {
    if (flags['find-names']) await forgetLostNames(store, model)
    const { steps, notes, losses, plan } = await migrateUnserved(store, model, {
      decider: isOpen ? person : { by: 'change-lists' },
      dryRun,
      tidy: flags.tidy ?? false,
      citus,
      ...shards,
      force: flags.force ?? false,
      clock: clockFromEnvironment(process.env),
      waiting(sentence) {
        progress.end()
        console.error(sentence)
      },
      stepping: progress.show,
    })
    // Tables that change beyond additions are looked at when they do.
    if (dryRun && notes.length === 0)
      await store.session((session) => refuseBeforehand({ session, dialect: store.dialect }, plan))
    progress.end()
    if (!dryRun && !isOpen) await recordPublished(store, published)
    const refused = new Set(isOpen ? [] : steps.filter((step) => !mayBeTaken(step, { stops: true })))
    if (sql) {
      if (refused.size > 0) throw new MigrationRefused([...refused])
      if (!acceptDataLoss) refuseToFollow(losses, 'Use --accept-data-loss to have the SQL all the same.')
      console.log(
        steps.length === 0
          ? '-- The store fits the declaration. Nothing to do.'
          : await sqlScript(store, plan),
      )
      return 0
    }
    const ok = refused.size === 0 && (!dryRun || losses.length === 0 || acceptDataLoss)
    // What changes rows was said in the words of the declaration.
    const shown = isOpen && !dryRun && needsStop(steps) ? steps.filter(isShownAddition) : shownSteps(steps)
    const release = isOpen ? null : releaseOf(steps)
    return reportMigration({ dryRun, steps: shown, refused, notes, losses, release }, { json, ok })
  }
  try {
    return await withDryRunStore(url, dryRun, work)
  } finally {
    progress.end()
  }
}

const askBelow =
  (progress: Progress, ask: Ask): Ask =>
  (question) => {
    progress.end()
    return ask(question)
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
