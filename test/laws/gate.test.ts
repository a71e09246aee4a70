import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeCase, meetBoth } from '../support/gate-law.ts'
import { caseText, gateCase } from '../support/gate-plans.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'
const cases = nightly ? 3000 : 3

test(
  'where the gate says that nothing breaks, every call that the old document allows and the old server accepts goes on',
  async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(gateCase, fc.nat(1000), async (one, turn) => {
        const judged = judgeCase(one)
        fc.pre(judged !== null && judged.verdict !== 'breaking')
        const met = await meetBoth(judged, turn)
        accepted += met.accepted
        expect(
          met.faults[0],
          `${caseText(one)}\nthe gate says ${judged.verdict}: ${judged.text}`,
        ).toBeUndefined()
      }),
      // The short form is the same everywhere; the long one looks further every night.
      { numRuns: cases, maxSkipsPerRun: 1000, ...(nightly ? {} : { seed: 20_261_117 }) },
    )
    // The law is only worth something if calls are accepted.
    expect(accepted).toBeGreaterThan(cases * 20)
  },
  nightly ? 0 : 300_000,
)

const edit = (option: string, from: number, to: number) =>
  judgeCase({ before: { [option]: from }, edits: { [option]: to } })

/** Cases that the law has found: documents that forbade additions. */
test.each<[string, number, number, string]>([
  ['trees.doc.shape', 0, 2, 'a key within a JSON value'],
  ['leaves.pageMax', 1, 0, 'rows of a longer page'],
  ['trees.leaves.cap', 1, 0, 'rows of an include'],
])('%s: %i → %i passes the gate, and the old document describes %s', async (option, from, to) => {
  const judged = edit(option, from, to)
  expect(judged?.verdict).toBe('additive')
  expect(judged && (await meetBoth(judged, 1)).faults).toEqual([])
})

/** The law is only worth something if the calls notice a break. */
test.each<[string, number, number, string]>([
  ['trees.text.mark', 3, 0, 'an immutable field becomes plain'],
  ['trees.doc.shape', 15, 16, 'keys of a record become optional'],
  ['trees.filter', 1, 0, 'a filter is taken away'],
  ['trees.leaves.cap', 2, 3, 'more rows are included than one request may have'],
  ['leaves.tree.onTargetDelete', 1, 0, 'rows refuse that what they lead to is deleted'],
])('%s: %i → %i is refused by the gate, and the calls notice that %s', async (option, from, to) => {
  const judged = edit(option, from, to)
  expect(judged?.verdict).toBe('breaking')
  expect(judged && (await meetBoth(judged, 1)).faults.length).toBeGreaterThan(0)
})
