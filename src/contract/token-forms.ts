import type { ContractTokens } from '../compile/contract-format.ts'
import { soleAccountOf } from '../compile/service/accounts.ts'
import { declaredTokens, tokenFormOf } from '../compile/service/tokens.ts'
import type { ApiDeclaration } from '../declare/api.ts'

/**
 * How tokens tell who calls. Issuers, audiences, algorithms and where keys are read from are settings of a deployment, and CORS origins
 * too: a contract has none of them, so that one declaration serves every environment and a compromised address can be dropped.
 */
export const tokenFormsOf = (declaration: ApiDeclaration): readonly ContractTokens[] =>
  declaredTokens(declaration)
    .map((tokens) => tokenFormOf(tokens, soleAccountOf(declaration)))
    .map(({ prefix, claims: { account, ...claims } }) => ({
      ...(prefix === '' ? {} : { prefix }),
      claims: { ...(account === null ? {} : { account }), ...claims },
    }))
    .sort((a, b) => ((a.prefix ?? '') < (b.prefix ?? '') ? -1 : 1))
