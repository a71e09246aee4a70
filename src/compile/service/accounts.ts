import type { ApiDeclaration } from '../../declare/api.ts'
import type { MistakeList } from '../mistakes.ts'
import { declaredTokens } from './tokens.ts'

/** The account of an API that has only one. The store has it; people neither write nor see it. */
const main = 'main'

export const soleAccountOf = ({ accounts }: Pick<ApiDeclaration, 'accounts'>): string | null =>
  accounts === 'one' ? main : null

/** The accounts that get rows of the seed; none where there is no seed. */
export const seedAccounts = (declaration: ApiDeclaration): readonly string[] => {
  const sole = soleAccountOf(declaration)
  if (!declaration.seed) return []
  return sole === null ? (declaration.seed.accounts ?? []) : [sole]
}

/** Who names an account must be the same as who has one to name. */
export const checkAccounts = (declaration: ApiDeclaration, mistakes: MistakeList): void => {
  const { seed } = declaration
  if (soleAccountOf(declaration) === null) {
    // What is no list was reported as that, and left out.
    if (seed && !seed.accounts && !mistakes.all.some(({ where }) => where === 'seed.accounts'))
      mistakes.add('seed.accounts', 'it is missing.', "Write it like this: accounts: ['acme'].")
    for (const [at, { account }] of (seed?.demoKeys ?? []).entries())
      if (account === undefined)
        mistakes.add(`seed.demoKeys[${at}].account`, 'it is missing.', "Write it like this: account: 'acme'.")
    return
  }
  const why = "the API has one account (accounts: 'one'), which needs no name."
  if (seed?.accounts)
    mistakes.add('seed.accounts', why, 'Take it out: seed.account() is called once, for that account.')
  for (const [at, { account }] of (seed?.demoKeys ?? []).entries())
    if (account !== undefined) mistakes.add(`seed.demoKeys[${at}].account`, why, 'Take it out.')
  for (const { claims } of declaredTokens(declaration))
    if (claims?.account !== undefined)
      mistakes.add('tokens.claims.account', why, 'Take it out: no claim of a token is asked for the account.')
}
