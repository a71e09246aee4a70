import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isPlainName } from '../call/caller.ts'
import { counted } from '../compile/names/plural.ts'
import { readGeneration } from '../migrate/record/store-generation.ts'
import type { Store } from '../store/store.ts'
import { demandFit } from '../transfer/demand-fit.ts'
import { type CheckedFile, checkFile, type FileImport } from '../transfer/import-file.ts'
import { ImportMark } from '../transfer/import-mark.ts'
import { Importer } from '../transfer/importer.ts'
import { hashOf, openSource, type SourceFile, spool } from '../transfer/source-file.ts'
import { actorOfCommand } from '../write/actor.ts'
import { accountOf } from './account-flag.ts'
import { accountKeys } from './account-keys.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { commandWriter } from './command-writer.ts'
import { namedResources } from './named-resources.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'
import { warn } from './warn.ts'

export const options = {
  resource: { type: 'string', value: 'NAME', does: 'the resource of rows that have no @resource' },
  account: { type: 'string', value: 'ACCOUNT', does: 'the account of rows that have no @account' },
  'dry-run': { type: 'boolean', does: 'checks everything and writes nothing' },
  'no-events': { type: 'boolean', does: 'the rows are no events' },
  from: { type: 'string', value: 'LINE', does: 'begins at this line: rows before it count as imported' },
  json: jsonOption,
} as const

type Flags = Given<typeof options>['flags']

/** `nounkit import [API] FILE`: inserts the rows of a file, after all of them were checked. */
export async function importCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const given = positionalsUpTo(words, 2)
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
  return withFile(name, (file) => withStore(place, (opened) => importInto(opened, file, flags)))
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
  let folder: string | null = null
  const remove = () => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  // No listener is left when it is called, so that the signal has its usual effect.
  const end = (signal: NodeJS.Signals) => {
    remove()
    process.kill(process.pid, signal)
  }
  // Before there is a folder: a signal without a listener ends the process at any moment.
  for (const signal of endingSignals) process.once(signal, end)
  try {
    folder = mkdtempSync(join(tmpdir(), 'nounkit-import-'))
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
  const account = accountOf(model, flags.account) ?? null
  const events = !flags['no-events']
  const target = { model, format: file.format, resource, account, now: () => clock.now() }
  const mark = new ImportMark(store, await hashOf(file, target))
  const progress = openProgress()
  const what: FileImport = {
    file,
    target,
    writer: commandWriter({ model, store, clock }, { events }),
    actor: actorOfCommand(operatorOfCommand()),
    mark,
    from: lineFrom(flags.from),
    generation,
    progress: (label, rows, bytes) => progress.show(`${label} ${counted(rows, 'row')}`, bytes, file.bytes),
    warn,
  }
  try {
    const stored = await mark.read()
    const done = flags.from === undefined ? stored : null
    if (done?.endedAt) return alreadyDone(file, done.rows, done.endedAt, flags)
    const checked = await checkFile(what, done)
    if (checked.mistakes.count > 0) return refused(file, checked, flags)
    const importer = new Importer(what, checked, stored)
    if (!flags['dry-run']) await importer.run()
    progress.end()
    report(checked, importer, flags)
    if (flags.account !== undefined && model.soleAccount === null) await noteKeyless(store, flags.account)
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

function lineFrom(flag = '1'): number {
  if (!/^[1-9]\d*$/.test(flag))
    throw new UsageMistake(`--from is ${JSON.stringify(flag)}. Write the number of a line, such as 1200.`)
  return Number(flag)
}

function alreadyDone({ name }: SourceFile, rows: number, at: string, flags: Flags): number {
  if (flags.json)
    console.log(
      JSON.stringify({ rows, imported: 0, present: rows, corrected: 0, mistakes: [], mistakeCount: 0 }),
    )
  else
    console.log(
      `${name} was imported already, at ${at}: ${counted(rows, 'row')}. Nothing to do. --from 1 imports it once more.`,
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

function report({ rows, before, resources }: CheckedFile, importer: Importer, flags: Flags): void {
  const { imported, corrected } = importer
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
