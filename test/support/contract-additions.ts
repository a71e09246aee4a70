import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'

/** The contracts of declarations that `library` makes: what was published as v1, and how one differs from another. */
export const contractsOf = <Parts>(library: (parts: Parts) => ApiDeclaration) => {
  const newest = (parts: Parts): Contract => {
    const model = compileApi(library(parts))
    return contractOf(model, model.head)
  }
  return {
    publishedBy: (parts: Parts): ReadonlyMap<string, Contract> => new Map([['v1', newest(parts)]]),
    differences: (from: Parts, to: Parts): readonly string[] =>
      compareContracts(newest(from), newest(to)).map(
        ({ verdict, where, what }) => `${verdict} ${where}: ${what}`,
      ),
  }
}

/** Contracts with that of the newest version, v2. */
export const withNewest = (
  model: Model,
  contracts: ReadonlyMap<string, Contract>,
): ReadonlyMap<string, Contract> => new Map(contracts).set('v2', contractOf(model, model.head))
