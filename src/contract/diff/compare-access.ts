import type { ContractService, ContractTokens } from '../../compile/contract-format.ts'
import type { SchemaVerdict } from '../../compile/schemas/schema-verdict.ts'
import { additive, breaking, type Differences, matched, sayAt } from './difference.ts'

/** Compares how tokens tell who calls, and which scopes are declared. */
export const compareAccess = (from: ContractService, to: ContractService): Differences => [
  ...compareTokens(from, to),
  ...compareScopes(from.scopes, to.scopes),
]

/** What asks for a scope (a call, a rule, a field) is compared there. */
const compareScopes = (
  from: ContractService['scopes'] = {},
  to: ContractService['scopes'] = {},
): Differences => {
  const { both, gone, come } = matched(from, to)
  const difference = (name: string, what: string) =>
    sayAt('service', `scopes.${name}`)(additive, what, 'declared scope')
  return [
    ...gone.map((name) => difference(name, 'is no longer declared')),
    ...come.map((name) => difference(name, `was declared: ${to[name]}`)),
    ...both
      .filter(([, before, after]) => before !== after)
      .map(([name]) => difference(name, 'sentence changed')),
  ]
}

/** Whether tokens are accepted at all is compared as `authentication`. */
const compareTokens = (older: ContractService, newer: ContractService): Differences => {
  if (!newer.tokens || !older.tokens) return []
  const { both, gone, come } = matched(formsIn(older.tokens), formsIn(newer.tokens))
  const difference = (prefix: string, verdict: SchemaVerdict, what: string) =>
    sayAt('service', placeOf(prefix))(verdict, what, 'authentication')
  return [
    ...both.flatMap(([prefix, before, after]) => compareClaims(placeOf(prefix), before, after)),
    // A form that another one takes the place of: its callers become other subjects, and lose their rows. A form that is only gone is an
    // issuer that was dropped, which is up to the deployment.
    ...gone.map((prefix) =>
      come.length > 0
        ? difference(prefix, breaking, `prefix ${shown(prefix)} became ${come.map(shown).join(', ')}`)
        : difference(prefix, additive, 'the issuer was removed'),
    ),
    ...(gone.length > 0 ? [] : come.map((prefix) => difference(prefix, additive, 'an issuer was added'))),
  ]
}

const compareClaims = (place: string, from: ContractTokens, to: ContractTokens): Differences => {
  const [before, after] = [namesIn(from), namesIn(to)]
  return Object.keys({ ...before, ...after })
    .filter((name) => before[name] !== after[name])
    .map((name) => {
      const what = `${before[name] ?? 'none'} became ${after[name] ?? 'none'}`
      return sayAt('service', `${place}.claims.${name}`)(breaking, what, 'authentication')
    })
}

const namesIn = ({ claims }: ContractTokens): { readonly [claim: string]: string } => ({ ...claims })

/** By prefix. */
const formsIn = (tokens: readonly ContractTokens[]): { readonly [prefix: string]: ContractTokens } =>
  Object.fromEntries(tokens.map((form) => [form.prefix ?? '', form]))

const placeOf = (prefix: string): string => (prefix === '' ? 'tokens' : `tokens "${prefix}"`)

const shown = (prefix: string): string => (prefix === '' ? 'none' : `"${prefix}"`)
