import type { ContractCors, ContractTokens } from '../compile/contract-format.ts'
import { corsRulesOf } from '../compile/cors.ts'
import { tokenRulesOf } from '../compile/tokens.ts'
import type { CorsDeclaration, TokenDeclaration } from '../declare/api.ts'

/** Where the issuer's keys are read from is the service's own business: they change without a word to consumers. */
export const tokensOf = (declared: TokenDeclaration): ContractTokens => {
  const { issuer, audience, algorithms, clockSkewSeconds, claims } = tokenRulesOf(declared)
  return {
    issuer,
    audience,
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
