import { parseArgs } from 'node:util'
import { Mistakes } from '../compile/mistakes.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/plural.ts'
import { unindexedRules } from '../compile/rules/rule-indexes.ts'
import { tokenWarnings } from '../compile/tokens.ts'
import { BrokenPromises, refuseBrokenPromises } from '../contract/broken-promises.ts'
import type { Refusal } from '../contract/gate-refusal.ts'
import { seedRows } from '../write/seed-rows.ts'
import { checkTypes, TypeMistakes } from './check-types.ts'
import { paintError } from './colour.ts'
import { jsonOption } from './command.ts'
import { differenceJson } from './difference-line.ts'
import { compileLoaded, type LoadedApi, loadApi } from './load.ts'
import { placedMistakes } from './mistake-places/error-text.ts'
import { textsFrom } from './mistake-places/imported-files.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'

export const options = { json: jsonOption } as const

/** `nounkit check [API]`: compiles the declaration, reads its seed, compares it with its frozen contracts, and checks its types. */
export async function checkCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const api = await loadApi(place)
  if (values.json) return checkForMachines(api)
  const { resources, versions, warnings } = summaryOf(await checked(api))
  for (const warning of warnings) console.error(`${paintError('yellow', 'Warning:')} ${warning}`)
  const size = `${counted(resources, 'resource')}, ${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}`
  console.log(`${api.file}: ${size}. No mistakes, no broken promises.`)
  return 0
}

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
  resources: [...model.resources.values()].filter(({ engineMade }) => !engineMade).length,
  versions: model.versions.map((version) => version.name),
  warnings: [...unindexedRules(model), ...tokenWarnings(model)],
})

/** Prints the same members whether something is wrong or not. */
async function checkForMachines(api: LoadedApi): Promise<number> {
  const found = { mistakes: [] as unknown, broken: [] as unknown, types: null as string | null }
  const nothing = { resources: null, versions: null, warnings: [] }
  let summary: object = nothing
  let ok = false
  try {
    summary = summaryOf(await checked(api))
    ok = true
  } catch (error) {
    if (error instanceof Mistakes)
      found.mistakes = placedMistakes(error.list, { files: textsFrom(api.path), main: api.path })
    else if (error instanceof BrokenPromises) found.broken = error.refusals.map(refusalJson)
    else if (error instanceof TypeMistakes) found.types = error.output
    else throw error
  }
  console.log(JSON.stringify({ ok, file: api.file, ...summary, ...found }, null, 2))
  return ok ? 0 : 1
}

const refusalJson = (refusal: Refusal): object => ({
  ...refusal,
  differences: refusal.differences.map(differenceJson),
})
