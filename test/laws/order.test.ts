import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { freezeContract, thawContract } from '../../src/contract/freeze.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { api } from '../../src/declare/api.ts'
import { version } from '../../src/declare/version.ts'
import { type RandomApi, randomApi } from '../support/random-apis.ts'
import { type Permute, reorderedOptions } from '../support/reordered.ts'

const numRuns = process.env.NOUNKIT_NIGHTLY ? 2_000 : 30

const apiOf = ({ resources, changes }: RandomApi) =>
  api('random', {
    resources,
    versions: [
      version('v2', { published: '2026-02-01' }),
      version('v1', { published: '2026-01-01', changes }),
    ],
  })

const shuffled = ({ resources, changes }: RandomApi, permute: Permute): RandomApi => ({
  resources: permute(resources).map((one) => reorderedOptions(one as never, permute)),
  changes: permute(changes),
})

/** A permutation for each list that comes by, all from one seed. */
const permuting = (seed: number): Permute => {
  let at = seed
  const next = (below: number): number => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648
    // The low bits of such a generator repeat soon.
    return Math.floor(at / 65_536) % below
  }
  return (list) => {
    const left = [...list]
    return list.map(() => left.splice(next(left.length), 1)[0] as (typeof list)[number])
  }
}

const published = (model: Model): ReadonlyMap<string, Contract> =>
  new Map(
    model.versions.map((one) => {
      const { contract } = thawContract(freezeContract(contractOf(model, one)), one.name)
      if (!contract) throw new Error(`the contract of ${one.name} was not read`)
      return [one.name, contract]
    }),
  )

/** All that the versions show, on lines, so that a difference is seen. */
const shown = (model: Model): string =>
  JSON.stringify(
    model.versions.map((one) => [contractOf(model, one), openapiOf(one, model)]),
    null,
    1,
  )

test('no order of a declaration changes a byte of a published version', () => {
  fc.assert(
    fc.property(randomApi, fc.nat(), (random, seed) => {
      const before = compileApi(apiOf(random))
      const contracts = published(before)
      const after = compileApi(apiOf(shuffled(random, permuting(seed))), { contracts })
      expect(checkContracts(after, contracts)).toEqual(checkContracts(before, contracts))
      expect(shown(after)).toBe(shown(before))
    }),
    { numRuns },
  )
}, 900_000)
