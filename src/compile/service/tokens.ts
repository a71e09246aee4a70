import type { ApiDeclaration, TokenDeclaration } from '../../declare/api.ts'
import type { Model } from '../model.ts'
import { defaultAlgorithms } from '../shape/setting-faults.ts'

/** Which tokens of an issuer are accepted and the names of their claims, with defaults filled in. */
export interface TokenRules extends TokenForm {
  readonly issuer: string
  /** Null: any. */
  readonly audience: string | null
  readonly algorithms: readonly string[]
  readonly clockSkewSeconds: number
}

/** How a token tells who calls. It is the same wherever the API is deployed. */
export interface TokenForm {
  readonly prefix: string
  readonly claims: {
    /** Null where the API has one account. */
    readonly account: string | null
    readonly consumer: string
    readonly scopes: string
  }
}

/** The declared issuers; none where no tokens are accepted. */
export const declaredTokens = ({
  tokens = [],
}: Pick<ApiDeclaration, 'tokens'>): readonly TokenDeclaration[] => ('length' in tokens ? tokens : [tokens])

export const tokenFormOf = (
  { prefix = '', claims }: TokenDeclaration,
  soleAccount: string | null,
): TokenForm => ({
  prefix,
  claims: {
    consumer: 'client_id',
    scopes: 'scope',
    ...claims,
    account: soleAccount === null ? (claims?.account ?? 'account') : null,
  },
})

export const tokenRulesOf = (
  declared: TokenDeclaration & { readonly issuer: string },
  soleAccount: string | null,
): TokenRules => ({
  ...tokenFormOf(declared, soleAccount),
  issuer: declared.issuer,
  audience: declared.audience ?? null,
  algorithms: declared.algorithms ?? defaultAlgorithms,
  clockSkewSeconds: declared.clockSkewSeconds ?? 30,
})

/** What is allowed, and should be a decision. */
export const tokenWarnings = ({ declaration }: Model): readonly string[] =>
  declaredTokens(declaration)
    .filter(({ issuer, audience }) => issuer !== undefined && audience === undefined)
    .map(
      ({ issuer }) =>
        `tokens: without audience, every access token of ${issuer} is accepted, also one that was made for another service. Write the audience that your issuer puts into "aud", or set NOUNKIT_TOKEN_AUDIENCE.`,
    )
