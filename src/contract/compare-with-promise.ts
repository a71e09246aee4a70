import type { Contract } from '../compile/contract-format.ts'
import type { Model, Version } from '../compile/model.ts'
import { contractOf } from './contract.ts'
import { stateRule } from './diff/compare-state-rules.ts'
import { compareContracts } from './diff/diff.ts'
import { type Difference, isBreaking, type Part } from './diff/difference.ts'

/** The newest published version may have grown; older ones must be the same. */
export type Age = 'newest' | 'older'

export interface Compared {
  readonly all: readonly Difference[]
  /** Those that the version's promise does not allow. */
  readonly refused: readonly Difference[]
}

/** A version as it is now, against what was promised of it. */
export const compareWithPromise = (model: Model, version: Version, promise: Contract, age: Age): Compared => {
  const all = compareContracts(promise, contractOf(model, version))
  return { all, refused: all.filter((one) => isBreaking(one) || (age === 'older' && !cannotBeHidden(one))) }
}

const unhidden: ReadonlySet<Part> = new Set(['lifecycle', 'service', 'problem'])

/** An addition that holds for all versions or for a version's dates is no one's surprise, and cannot be hidden. */
const cannotBeHidden = ({ verdict, part, subject }: Difference): boolean =>
  verdict === 'additive' && (unhidden.has(part) || subject.kind === 'unique' || subject.kind === stateRule)
