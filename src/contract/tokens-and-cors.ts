import type { ContractCors, ContractTokens } from '../compile/contract-format.ts'
import { corsRulesOf } from '../compile/cors.ts'
import { tokenRulesOf } from '../compile/tokens.ts'
import type { CorsDeclaration, TokenDeclaration } from '../declare/api.ts'

/** The address of the issuer's keys is not part of the contract: it may change without notice to consumers. */
export const tokensOf = (declared: TokenDeclaration): ContractTokens => {
  const { issuer, audience, algorithms, clockSkewSeconds, claims } = tokenRulesOf(declared)
  return {
    issuer,
    ...(audience !== null && { audience }),
    algorithms: algorithms.toSorted(),
    clock_skew_seconds: clockSkewSeconds,
    claims,
  }
}

export const corsOf = (declared: CorsDeclaration | undefined): ContractCors => {
  const { origins, methods, requestHeaders, responseHeaders } = corsRulesOf(declared)
  return {
    origins: origins.toSorted(),
    methods: methods.toSorted(),
    request_headers: requestHeaders,
    response_headers: responseHeaders,
  }
}
