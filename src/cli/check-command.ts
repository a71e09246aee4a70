import { parseArgs } from 'node:util'
import { unindexedRules } from '../compile/rules/rule-indexes.ts'
import { tokenWarnings } from '../compile/tokens.ts'
import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import { compileLoaded, loadApi } from './load.ts'
import { positionalsUpTo } from './positionals.ts'

/** `nounkit check API`: compiles the declaration and compares it with its frozen contracts. */
export async function checkCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  refuseBrokenPromises(model, api.frozen)
  for (const warning of [...unindexedRules(model), ...tokenWarnings(model)])
    console.error(`Warning: ${warning}`)
  const versions = model.versions.map((version) => version.name).join(', ')
  const count = [...model.resources.values()].filter(({ engineMade }) => !engineMade).length
  const resources = `${count} resource${count === 1 ? '' : 's'}`
  console.log(`${api.file}: ${resources}, versions ${versions}. No mistakes, no broken promises.`)
  return 0
}
