import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import type { Difference } from '../../src/contract/diff/difference.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'

export interface GateVerdict {
  readonly verdict: 'none' | 'additive' | 'breaking'
  readonly text: string
}

/** The gate's verdict on an edit of a published version. */
export const gateVerdict = (before: ApiDeclaration, after: ApiDeclaration): GateVerdict => {
  const model = compileApi(before)
  const contracts = new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
  const { refusals, grown } = checkContracts(compileApi(after, { contracts }), contracts)
  const tell = (all: readonly Difference[]) => all.map(({ where, what }) => `${where}: ${what}`).join('\n')
  if (refusals.length > 0)
    return { verdict: 'breaking', text: tell(refusals.flatMap(({ differences }) => differences)) }
  return {
    verdict: grown.length > 0 ? 'additive' : 'none',
    text: tell(grown.flatMap((one) => one.differences)),
  }
}
