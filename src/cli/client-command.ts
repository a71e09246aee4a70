import { readFile } from 'node:fs/promises'
import { contractOf } from '../contract/contract.ts'
import { clientFile, clientParts } from '../contract/typescript/client-file.ts'
import type { Given } from './command.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { apiAnd } from './positionals.ts'

export const options = {} as const

/** The same path leads there from `src/cli` and from `dist/cli`: a package has the sources of the client too. */
const partsFolder = new URL('../../src/client/', import.meta.url)

/** `nounkit client [API] [VERSION]`: prints a TypeScript file with a client of a version, the newest unless said. */
export async function clientCommand({ words }: Given<typeof options>): Promise<number> {
  const [place, name] = apiAnd(words, 1)
  const model = compileLoaded(await loadApi(place))
  const version = name === undefined ? model.head : namedVersion(model, name)
  const parts = clientParts.map((part) => readFile(new URL(part, partsFolder), 'utf8'))
  console.log(clientFile(contractOf(model, version), await Promise.all(parts)))
  return 0
}
