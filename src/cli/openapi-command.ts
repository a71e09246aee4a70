import { parseArgs } from 'node:util'
import { openapiOf } from '../contract/openapi/openapi.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { positionalsUpTo } from './positionals.ts'

/** `nounkit openapi API v2`: prints the OpenAPI document of a version. */
export async function openapiCommand(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [place, version] = positionalsUpTo(positionals, 2)
  const model = compileLoaded(await loadApi(place))
  console.log(JSON.stringify(openapiOf(namedVersion(model, version), model), null, 2))
  return 0
}
