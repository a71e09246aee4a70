import { openapiOf } from '../contract/openapi/openapi.ts'
import type { Given } from './command.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { apiAnd } from './positionals.ts'

export const options = {} as const

/** `nounkit openapi [API] VERSION`: prints the OpenAPI document of a version. */
export async function openapiCommand({ words }: Given<typeof options>): Promise<number> {
  const [place, version] = apiAnd(words, 1)
  const model = compileLoaded(await loadApi(place))
  console.log(JSON.stringify(openapiOf(namedVersion(model, version), model), null, 2))
  return 0
}
