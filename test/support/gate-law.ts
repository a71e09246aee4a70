import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { type Promises, promisesOf } from './gate-battery.ts'
import { type Compared, compareServers } from './gate-comparison.ts'
import { declarationOf, editedPlan, type GateCase } from './gate-plans.ts'
import { openGateServers } from './gate-servers.ts'
import { type GateVerdict, gateVerdict } from './gate-verdict.ts'

export interface JudgedCase extends GateVerdict {
  readonly before: ApiDeclaration
  readonly after: ApiDeclaration
}

/** Null for a declaration or an edit that does not compile. */
export const judgeCase = (one: GateCase): JudgedCase | null => {
  const [before, after] = [declarationOf(one.before), declarationOf(editedPlan(one))]
  try {
    return { before, after, ...gateVerdict(before, after) }
  } catch (error) {
    if (error instanceof Mistakes) return null
    throw error
  }
}

/** What consumers of the old declaration notice. */
export const meetBoth = async (
  { before, after }: Pick<JudgedCase, 'before' | 'after'>,
  turn: number,
): Promise<Compared> => {
  const promises = promisesIn(before, turn)
  const servers = await openGateServers(before, after, promises.scopes)
  try {
    return await compareServers(servers, promises, promisesIn(after, turn))
  } finally {
    await servers.close()
  }
}

const promisesIn = (declaration: ApiDeclaration, turn: number): Promises => {
  const model = compileApi(declaration)
  return promisesOf(openapiOf(model.head, model) as never, turn)
}
