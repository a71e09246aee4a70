import { parseArgs } from 'node:util'
import { openapiOf } from '../contract/openapi.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './versions.ts'

/** `nounkit openapi API v2`: the document of a version, on standard output. */
export async function openapiCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const model = compileLoaded(await loadApi(positionals[0]))
  console.log(JSON.stringify(openapiOf(namedVersion(model, positionals[1]), model), null, 2))
  return 0
}
