import type { Model } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { contractOf } from './contract.ts'
import { type FrozenContracts, writeContract } from './contract-files.ts'
import { compareContracts } from './diff/diff.ts'
import type { Difference } from './diff/difference.ts'
import { checkContracts } from './gate.ts'
import type { Refusal } from './gate-refusal.ts'

export interface Published {
  /** Null when it was refused. */
  readonly path: string | null
  /** The differences from the file before; empty for a first publication. */
  readonly differences: readonly Difference[]
  readonly refusals: readonly Refusal[]
}

/**
 * Freezes one version as `{folder}/{version}.json`, unless that would break a published contract. While a file was edited
 * by hand, it is unknown what was published, so nothing is written.
 */
export const publishVersion = async (
  model: Model,
  name: string,
  folder: string,
  { contracts: frozen, refusals: damaged }: FrozenContracts,
): Promise<Published> => {
  const version = model.versions.find((one) => one.name === name)
  if (!version) {
    throw new Error(
      `There is no version "${name}". ${didYouMean(
        name,
        model.versions.map((one) => one.name),
      )}`,
    )
  }
  if (damaged.length > 0) return { path: null, differences: [], refusals: damaged }
  const contract = contractOf(model, version)
  const before = frozen.get(name)
  const { refusals, broken } = checkContracts(model, new Map(frozen).set(name, before ?? contract))
  const ours = refusals.filter((refusal) => refusal.version === name)
  // A break that a newer version has too is reported there.
  if (broken.has(name) || ours.length > 0)
    return { path: null, differences: [], refusals: ours.length > 0 ? ours : refusals }
  const path = await writeContract(folder, contract)
  return { path, differences: before ? compareContracts(before, contract) : [], refusals: [] }
}
