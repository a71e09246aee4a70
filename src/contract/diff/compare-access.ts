import { sameJson } from '../../compile/canonical.ts'
import type { ContractCors, ContractService, ContractTokens } from '../../compile/contract-format.ts'
import { compareLimits, compareNames } from './compare-services.ts'
import { additive, breaking, type Differences, matched, sayAt } from './difference.ts'

/** Compares which tokens are accepted, the pages of which origins, and which scopes are declared. */
export const compareAccess = (from: ContractService, to: ContractService): Differences => [
  ...compareTokens(from, to),
  ...compareCors(from.cors, to.cors),
  ...compareScopes(from.scopes, to.scopes),
]

/** What asks for a scope (a call, a rule, a field) is compared there. */
const compareScopes = (
  from: ContractService['scopes'] = {},
  to: ContractService['scopes'] = {},
): Differences => {
  const { both, gone, come } = matched(from, to)
  const said = (name: string, what: string) =>
    sayAt('service', `scopes.${name}`)(additive, what, 'declared scope')
  return [
    ...gone.map((name) => said(name, 'is no longer declared')),
    ...come.map((name) => said(name, `was declared: ${to[name]}`)),
    ...both.filter(([, before, after]) => before !== after).map(([name]) => said(name, 'sentence changed')),
  ]
}

/** Whether tokens are accepted at all is compared as `authentication`. */
const compareTokens = (older: ContractService, newer: ContractService): Differences => {
  const [from, to] = [older.tokens, newer.tokens]
  if (!to) return []
  if (!from)
    return older.authentication.includes('bearer token')
      ? [sayAt('service', 'tokens')(additive, 'are listed with their issuer and claims', 'listed')]
      : []
  const [before, after] = [namesIn(from), namesIn(to)]
  const skew = (tokens: ContractTokens) => ({ clock_skew_seconds: tokens.clock_skew_seconds })
  return [
    ...Object.keys(after)
      .filter((name) => !sameJson(before[name], after[name]))
      .map((name) =>
        sayAt('service', `tokens.${name}`)(
          breaking,
          `${before[name]} became ${after[name]}`,
          'authentication',
        ),
      ),
    ...compareLimits(skew(from), skew(to), 'service', 'tokens'),
  ]
}

const namesIn = ({ issuer, audience, algorithms, claims }: ContractTokens): { [name: string]: string } => ({
  issuer,
  audience: audience ?? 'any',
  algorithms: algorithms.join(', '),
  ...Object.fromEntries(Object.entries(claims).map(([name, claim]) => [`claims.${name}`, claim])),
})

const compareCors = (from: ContractCors | undefined, to: ContractCors | undefined): Differences => {
  if (!to) return []
  if (!from) return [sayAt('service', 'CORS')(additive, 'is listed', 'listed')]
  const everyone = to.origins.includes('*')
  const origins = compareNames(from.origins, to.origins, 'service', 'CORS', 'origin').filter(
    ({ verdict }) => verdict === additive || !everyone,
  )
  // Without allowed origins no page could use the rest.
  if (from.origins.length === 0 || to.origins.length === 0) return origins
  return [
    ...origins,
    ...compareNames(from.methods, to.methods, 'service', 'CORS', 'method'),
    ...compareNames(from.request_headers, to.request_headers, 'service', 'CORS', 'request header'),
    ...compareNames(from.response_headers, to.response_headers, 'service', 'CORS', 'response header'),
  ]
}
