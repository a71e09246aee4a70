import type { TokenDeclaration } from '../declare/api.ts'
import type { Model } from './model.ts'
import { defaultAlgorithms } from './shape/setting-faults.ts'

/** Which tokens are accepted and the names of their claims, with defaults filled in. */
export interface TokenRules {
  readonly issuer: string
  /** Null: any. */
  readonly audience: string | null
  readonly algorithms: readonly string[]
  readonly clockSkewSeconds: number
  readonly claims: { readonly account: string; readonly consumer: string; readonly scopes: string }
}

export const tokenRulesOf = (declared: TokenDeclaration): TokenRules => ({
  issuer: declared.issuer,
  audience: declared.audience ?? null,
  algorithms: declared.algorithms ?? defaultAlgorithms,
  clockSkewSeconds: declared.clockSkewSeconds ?? 30,
  claims: { account: 'account', consumer: 'client_id', scopes: 'scope', ...declared.claims },
})

/** What is allowed, and should be a decision. */
export const tokenWarnings = ({ declaration: { tokens } }: Model): readonly string[] =>
  tokens === undefined || tokens.audience !== undefined
    ? []
    : [
        `tokens: without audience, every access token of ${tokens.issuer} is accepted, also one that was made for another service. Write the audience that your issuer puts into "aud".`,
      ]
