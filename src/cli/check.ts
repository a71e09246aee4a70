import { parseArgs } from 'node:util'
import { refuseBrokenPromises } from '../contract/broken.ts'
import { compileLoaded, loadApi } from './load.ts'

/** `nounkit check API`: compiles it and holds it against its frozen contracts. */
export async function checkCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const api = await loadApi(positionals[0])
  const model = compileLoaded(api)
  refuseBrokenPromises(model, api.frozen)
  const versions = model.versions.map((version) => version.name).join(', ')
  console.log(
    `${api.file}: ${model.resources.size} resources, versions ${versions}. No mistakes, no broken promises.`,
  )
  return 0
}
