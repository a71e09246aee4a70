import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contract } from '../compile/contract-format.ts'
import { freezeContract, type Thawed, thawContract, undo } from './freeze.ts'
import type { Refusal } from './gate-refusal.ts'

export interface FrozenContracts {
  /** The intact contracts, by version. */
  readonly contracts: ReadonlyMap<string, Contract>
  /** Files that were changed since they were published. */
  readonly refusals: readonly Refusal[]
}

/** All contracts of a folder; none where the folder does not exist. */
export const readContracts = async (folder: string): Promise<FrozenContracts> => {
  const contracts = new Map<string, Contract>()
  const refusals: Refusal[] = []
  for (const file of await contractFiles(folder)) {
    const version = file.replace(/\.json$/, '')
    const { contract, fault } = await readContract(join(folder, file), version)
    if (contract) contracts.set(version, contract)
    else refusals.push({ version, file, ...fault, differences: [], lines: [] })
  }
  return { contracts, refusals }
}

const readContract = async (path: string, version: string): Promise<Thawed> => {
  try {
    return thawContract(await readFile(path, 'utf8'), version)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { contract: null, fault: { what: `it cannot be read (${error.code}).`, hint: undo } }
  }
}

const contractFiles = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Writes `{version}.json` atomically and returns its path. */
export const writeContract = async (folder: string, contract: Contract): Promise<string> => {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${contract.version}.json`)
  await writeFile(`${path}.new`, freezeContract(contract))
  await rename(`${path}.new`, path)
  return path
}
