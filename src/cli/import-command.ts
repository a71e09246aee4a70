import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { counted } from '../compile/plural.ts'
import { Planner } from '../plan/planner.ts'
import { isPlainName } from '../request/caller.ts'
import { createCursorSeal } from '../request/cursor.ts'
import { readGeneration } from '../store/schema/store-generation.ts'
import type { Store } from '../store/store.ts'
import { demandFit } from '../transfer/demand-fit.ts'
import { type CheckedFile, checkFile, type FileImport } from '../transfer/import-file.ts'
import { ImportMark } from '../transfer/import-mark.ts'
import { Importer } from '../transfer/importer.ts'
import { hashOf, openSource, type SourceFile, spool } from '../transfer/source-file.ts'
import { noEngineHooks } from '../write/engine-hooks.ts'
import { createWriter, type Writer } from '../write/writer.ts'
import { accountKeys } from './account-keys.ts'
import { jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { namedResources } from './named-resources.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'

export const options = {
  resource: { type: 'string', value: 'NAME', does: 'the resource of rows that have no @resource' },
  account: { type: 'string', value: 'ACCOUNT', does: 'the account of rows that have no @account' },
  'dry-run': { type: 'boolean', does: 'checks everything and writes nothing' },
  'no-events': { type: 'boolean', does: 'the rows are no events' },
  again: { type: 'boolean', does: 'imports a file once more that was imported before' },
  json: jsonOption,
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** `nounkit import [API] FILE`: inserts the rows of a file, after all of them were checked. */
export async function importCommand(args: string[]): Promise<number> {
  const { values: flags, positionals } = parseArgs({ args, options, allowPositionals: true })
  const given = positionalsUpTo(positionals, 2)
  const name = given.at(-1)
  if (name === undefined)
    throw new UsageMistake(
      'Which file? Name one with lines of JSON or CSV, or - for standard input: nounkit import orders.csv --resource orders',
    )
  if (flags.account !== undefined && !isPlainName(flags.account))
    throw new UsageMistake(
      `--account is ${JSON.stringify(flags.account)}. Write at most 255 plain characters.`,
    )
  const place = given.length > 1 ? given[0] : undefined
  return withFile(name, (file) =>
    withStore(place, { probe: 'SELECT 1 FROM "nounkit_meta" LIMIT 1' }, (opened) =>
      importInto(opened, file, flags),
    ),
  )
}

/** Standard input is written to a temporary file first, because a file is read twice. */
async function withFile(name: string, work: (file: SourceFile) => Promise<number>): Promise<number> {
  const refuse = (message: string) => new CommandMistake(message)
  if (name !== '-') {
    if (!existsSync(name)) throw new CommandMistake(`There is no file "${name}".`)
    if (!statSync(name).isFile()) throw new CommandMistake(`"${name}" is not a file.`)
    return work(openSource(name, name, refuse))
  }
  return withTemporaryFolder(async (folder) => {
    await spool(process.stdin, join(folder, 'input'))
    return work(openSource(join(folder, 'input'), 'standard input', refuse))
  })
}

/** The folder is removed also where a signal ends the process: it has a copy of the data. */
async function withTemporaryFolder(work: (folder: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-import-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // No listener is left when it is called, so that the signal has its usual effect.
  const end = (signal: NodeJS.Signals) => {
    remove()
    process.kill(process.pid, signal)
  }
  for (const signal of endingSignals) process.once(signal, end)
  try {
    return await work(folder)
  } finally {
    for (const signal of endingSignals) process.off(signal, end)
    remove()
  }
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function importInto(
  { model, store, clock }: CommandStore,
  file: SourceFile,
  flags: Flags,
): Promise<number> {
  const generation = await readGeneration(store)
  await demandFit(store, model)
  const [resource = null] = flags.resource === undefined ? [] : namedResources(model, [flags.resource])
  const events = !flags['no-events']
  const asked = JSON.stringify([await hashOf(file), flags.resource ?? null, flags.account ?? null, events])
  const mark = new ImportMark(store, createHash('sha256').update(asked).digest('hex'))
  const now = () => clock.now()
  const progress = openProgress()
  const what: FileImport = {
    file,
    target: { model, format: file.format, resource, account: flags.account ?? null, now },
    writer: importWriter({ model, store, clock }, events),
    mark,
    generation,
    progress: (label, rows, bytes) => progress.show(`${label} ${counted(rows, 'row')}`, bytes, file.bytes),
  }
  try {
    const stored = await mark.read()
    // An import that did not end goes on, also one that was begun by --again.
    const done = flags.again && stored?.endedAt ? null : stored
    if (done?.endedAt) return alreadyDone(file, done.rows, done.endedAt, flags)
    const checked = await checkFile(what, done)
    if (checked.mistakes.count > 0) return refused(file, checked, flags)
    const importer = new Importer(what, checked, stored)
    if (!flags['dry-run']) await importer.run()
    progress.end()
    report(checked, importer, flags)
    if (flags.account !== undefined) await noteKeyless(store, flags.account)
    return 0
  } finally {
    progress.end()
  }
}

/** An account with a mistyped name would have rows that nobody finds. */
async function noteKeyless(store: Store, account: string): Promise<void> {
  const { hasKey, hint } = await accountKeys(store, account)
  if (!hasKey && hint !== '') console.error(`Note: the account ${account} has no API key yet. ${hint}`)
}

/** Nobody reads lists with it, and no request is answered, so it needs neither a seal of cursors nor hooks. */
const importWriter = ({ model, store, clock }: CommandStore, events: boolean): Writer =>
  createWriter({
    store,
    planner: new Planner(store.dialect),
    model: events ? model : { ...model, events: null },
    seal: createCursorSeal(''),
    now: () => clock.now(),
    events: { committed: () => {} },
    engineHooks: async () => noEngineHooks,
  })

function alreadyDone({ name }: SourceFile, rows: number, at: string, flags: Flags): number {
  if (flags.json)
    console.log(
      JSON.stringify({ rows, imported: 0, present: rows, corrected: 0, mistakes: [], mistakeCount: 0 }),
    )
  else
    console.log(
      `${name} was imported already, at ${at}: ${counted(rows, 'row')}. Nothing to do. --again imports it once more.`,
    )
  return 0
}

function refused({ name }: SourceFile, { rows, mistakes }: CheckedFile, flags: Flags): number {
  const { kept, count } = mistakes
  if (flags.json)
    console.log(
      JSON.stringify({ rows, imported: 0, present: 0, corrected: 0, mistakes: kept, mistakeCount: count }),
    )
  else {
    for (const { line, field, detail } of kept)
      console.error(`${name}:${line}: ${field === null ? '' : `${field} `}${detail}`)
    if (count > kept.length) console.error(`and ${counted(count - kept.length, 'mistake')} more`)
    const where = rows === 0 ? 'the line of names' : counted(rows, 'row')
    console.error(`\n${counted(count, 'mistake')} in ${where}. Nothing was imported.`)
  }
  return 1
}

function report({ rows, present, resources, done }: CheckedFile, importer: Importer, flags: Flags): void {
  const { imported, corrected } = importer
  const before = (done?.rows ?? 0) + present.size
  if (flags.json) {
    console.log(JSON.stringify({ rows, imported, present: before, corrected, mistakes: [], mistakeCount: 0 }))
    return
  }
  const there =
    before === 0 ? '' : ` ${counted(before, 'row')} ${before === 1 ? 'was' : 'were'} there already.`
  if (flags['dry-run']) {
    console.log(`${counted(rows - before, 'row')} can be imported.${there} Nothing was written.`)
    return
  }
  console.log(`Imported ${counted(imported, 'row')}.${there}`)
  if (corrected > 0)
    console.log(
      `${counted(corrected, 'row')} had another sum than ${corrected === 1 ? 'its' : 'their'} rows give; it was corrected.`,
    )
  const hooked = [...resources].filter(({ hasHooks }) => hasHooks.create).map(({ name }) => name)
  if (imported > 0 && hooked.length > 0)
    console.log(`Hooks do not run in an import: those of ${hooked.join(', ')} did not.`)
}
