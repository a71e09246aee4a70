import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { isBreaking } from '../../src/contract/diff/difference.ts'
import { judgeChanges } from '../../src/contract/judge-changes.ts'
import { olderOf, pairOf } from '../support/pair.ts'
import { type RandomApi, randomApi } from '../support/random-apis.ts'

const judgedTwice = ({ resources, changes }: RandomApi) => {
  const model = pairOf(resources, changes)
  const older = olderOf(model)
  const differences = compareContracts(contractOf(model, older), contractOf(model, model.head))
  return { differences, declared: judgeChanges(older).map(({ verdict }) => verdict) }
}

test('the catalogue and the comparison of contracts agree on any pair of versions', () => {
  fc.assert(
    fc.property(randomApi, (api) => {
      const { declared, differences } = judgedTwice(api)
      expect(differences.some(isBreaking)).toBe(declared.includes('breaking'))
      expect(differences.length > 0).toBe(declared.length > 0)
    }),
    { numRuns: 150 },
  )
})

test('they agree on each change by itself', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(randomApi, ({ resources, changes }) => {
      for (const change of changes) {
        const { declared, differences } = judgedTwice({ resources, changes: [change] })
        seen.add(`${change.kind} ${declared}`)
        expect(differences.some(isBreaking), JSON.stringify(change)).toBe(declared[0] === 'breaking')
      }
    }),
    // Enough that none of the kinds below is missed by chance.
    { numRuns: 200 },
  )
  // Otherwise the two would agree because nothing was compared.
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'change-limit additive',
      'change-limit breaking',
      'map-values additive',
      'map-values breaking',
      'custom breaking',
    ]),
  )
})
