import { parseArgs } from 'node:util'
import { unindexedRules } from '../compile/rules/rule-indexes.ts'
import { tokenWarnings } from '../compile/tokens.ts'
import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import { checkTypes } from './check-types.ts'
import { compileLoaded, loadApi } from './load.ts'
import { positionalsUpTo } from './positionals.ts'

/** `nounkit check API`: compiles the declaration, compares it with its frozen contracts, and checks its types. */
export async function checkCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  refuseBrokenPromises(model, api.frozen)
  await checkTypes(api.folder)
  for (const warning of [...unindexedRules(model), ...tokenWarnings(model)])
    console.error(`Warning: ${warning}`)
  const versions = model.versions.map((version) => version.name).join(', ')
  const count = [...model.resources.values()].filter(({ engineMade }) => !engineMade).length
  const resources = `${count} resource${count === 1 ? '' : 's'}`
  console.log(`${api.file}: ${resources}, versions ${versions}. No mistakes, no broken promises.`)
  return 0
}
