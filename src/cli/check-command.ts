import { Mistakes } from '../compile/mistakes.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { warningsOf } from '../compile/warnings.ts'
import { BrokenPromises, refuseBrokenPromises } from '../contract/broken-promises.ts'
import type { Refusal } from '../contract/gate-refusal.ts'
import { type Release, releaseSentence } from '../migrate/release.ts'
import { seedRows } from '../write/seed-rows.ts'
import { checkStore } from './check-store.ts'
import { checkSums, printSums, sumsJson } from './check-sums.ts'
import { checkTypes, TypeMistakes } from './check-types.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, LoadMistake, UsageMistake } from './command-mistake.ts'
import { differenceJson } from './difference-line.ts'
import { compileLoaded, declarationPath, type LoadedApi, loadApi } from './load.ts'
import {
  type PlacedMistake,
  type Project,
  placedLoadMistake,
  placedMistakes,
} from './mistake-places/error-text.ts'
import { textsFrom } from './mistake-places/imported-files.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'
import { warn } from './warn.ts'

export const options = {
  sums: { type: 'boolean', does: 'adds up all rows of the store again, and lists the sums that differ' },
  fix: { type: 'boolean', does: 'with --sums: corrects the sums that differ' },
  store: {
    type: 'boolean',
    does: 'says whether this release needs a stop of the processes that serve the store, and why',
  },
  json: jsonOption,
} as const

type Flags = Given<typeof options>['flags']

/** `nounkit check [API]`: compiles the declaration, reads its seed, compares it with its frozen contracts, and checks its types. */
export async function checkCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  if (flags.fix && !flags.sums)
    throw new UsageMistake('--fix corrects sums: write nounkit check --sums --fix')
  if (flags.json) return checkForMachines(place, flags)
  const api = await loadApi(place)
  const model = await checked(api)
  const { resources, versions, warnings } = summaryOf(model)
  for (const warning of warnings) warn(warning)
  const size = `${counted(resources, 'resource')}, ${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}`
  console.log(`${api.file}: ${size}. No mistakes, no broken promises.`)
  if (flags.store) console.log(sentenceOf(await checkStore(api, model)))
  if (!flags.sums) return 0
  const fix = flags.fix ?? false
  const sums = await checkSums(api, model, { fix })
  printSums(sums, { fix, soleAccount: model.soleAccount })
  return sums.wrong.length > 0 ? 1 : 0
}

const sentenceOf = (release: Release | null): string =>
  release
    ? releaseSentence(release)
    : 'No version is published: nounkit migrate makes the store follow every change.'

/** Throws what is wrong. */
async function checked(api: LoadedApi): Promise<Model> {
  const model = compileLoaded(api)
  // Throws what is wrong with the rows.
  seedRows(model, Date.now())
  refuseBrokenPromises(model, api.frozen)
  const progress = openProgress()
  progress.show('Checking types …')
  await checkTypes(api.folder).finally(() => progress.end())
  return model
}

const summaryOf = (model: Model) => ({
  resources: model.declaration.resources.filter(({ engineMade }) => !engineMade).length,
  versions: model.versions.map((version) => version.name),
  warnings: warningsOf(model),
})

/** Prints the same members whether something is wrong or not, also where there is no declaration. */
async function checkForMachines(place: string | undefined, flags: Flags): Promise<number> {
  let summary: object = { resources: null, versions: null, warnings: [] }
  let found: Partial<Found> = {}
  let api: LoadedApi | null = null
  let model: Model | null = null
  try {
    api = await loadApi(place)
    model = await checked(api)
    summary = summaryOf(model)
  } catch (error) {
    found = foundBy(error, place)
  }
  const release = api && model && flags.store ? await checkStore(api, model) : null
  const sums = api && model && flags.sums ? await checkSums(api, model, { fix: flags.fix ?? false }) : null
  const ok = model !== null && !sums?.wrong.length
  const file = api?.file ?? found.mistakes?.[0]?.where
  const report = {
    ok,
    file,
    ...summary,
    ...nothing,
    ...found,
    ...unsaid,
    ...release,
    sums: sums && sumsJson(sums),
  }
  console.log(JSON.stringify(report, null, 2))
  return ok ? 0 : 1
}

interface Found {
  readonly mistakes: readonly PlacedMistake[]
  readonly broken: readonly object[]
  readonly types: string | null
}

/** What is printed of a store that was not looked at, or that has no published version. */
const unsaid: { readonly [M in keyof Release]: null } = { release: null, because: null }

const nothing: Found = { mistakes: [], broken: [], types: null }

/** What an error says of the declaration at a place. Throws an error that is no mistake of the user. */
function foundBy(error: unknown, place: string | undefined): Partial<Found> {
  const project = (path: string): Project => ({ files: textsFrom(path), main: path })
  if (error instanceof Mistakes)
    return { mistakes: placedMistakes(error.list, project(declarationPath(place))) }
  if (error instanceof BrokenPromises) return { broken: error.refusals.map(refusalJson) }
  if (error instanceof TypeMistakes) return { types: error.output }
  if (error instanceof LoadMistake) return { mistakes: [placedLoadMistake(error, project(error.path))] }
  if (!(error instanceof CommandMistake)) throw error
  const file = place ?? 'api.ts'
  return { mistakes: [{ where: file, what: error.message, hint: '', file, line: null, column: null }] }
}

const refusalJson = (refusal: Refusal): object => ({
  ...refusal,
  differences: refusal.differences.map(differenceJson),
})
