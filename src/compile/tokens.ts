import type { TokenDeclaration } from '../declare/api.ts'
import { defaultAlgorithms } from './shape/settings.ts'

/** Which tokens are accepted and the names of their claims, with defaults filled in. */
export interface TokenRules {
  readonly issuer: string
  readonly audience: string
  readonly algorithms: readonly string[]
  readonly clockSkewSeconds: number
  readonly claims: { readonly account: string; readonly consumer: string; readonly scopes: string }
}

export const tokenRulesOf = (declared: TokenDeclaration): TokenRules => ({
  issuer: declared.issuer,
  audience: declared.audience,
  algorithms: declared.algorithms ?? defaultAlgorithms,
  clockSkewSeconds: declared.clockSkewSeconds ?? 30,
  claims: { account: 'account', consumer: 'client_id', scopes: 'scope', ...declared.claims },
})
