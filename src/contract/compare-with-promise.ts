import type { Contract } from '../compile/contract-format.ts'
import type { Model, Version } from '../compile/model.ts'
import { contractOf } from './contract.ts'
import { stateRule } from './diff/compare-state-rules.ts'
import { compareContracts } from './diff/diff.ts'
import { type ContractPart, type Difference, isBreaking } from './diff/difference.ts'
import { unheldValues } from './unheld-values.ts'

/** The newest published version may have additions; older ones must be the same. */
export type Age = 'newest' | 'older'

export interface Compared {
  readonly all: readonly Difference[]
  /** The differences that the frozen contract does not allow. */
  readonly refused: readonly Difference[]
}

/** Compares a version as it is now with its frozen contract. */
export const compareWithPromise = (model: Model, version: Version, promise: Contract, age: Age): Compared => {
  const all = [...compareContracts(promise, contractOf(model, version)), ...unheldValues(version, promise)]
  return { all, refused: all.filter((one) => isBreaking(one) || (age === 'older' && !cannotBeHidden(one))) }
}

const unhidden: ReadonlySet<ContractPart> = new Set(['lifecycle', 'service', 'problem'])

/** An addition that applies to all versions, or to a version's dates, cannot be hidden and breaks nobody. */
const cannotBeHidden = ({ verdict, part, subject }: Difference): boolean =>
  verdict === 'additive' && (unhidden.has(part) || subject.kind === 'unique' || subject.kind === stateRule)
