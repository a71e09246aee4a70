import { didYouMean, nearest } from '../compile/names/nearest.ts'
import { KeyRing } from '../guard/key-ring.ts'
import type { Store } from '../store/store.ts'

/** What the API keys of a store tell of an account that an option names. Its name may be mistyped; it may also be new, or its callers have tokens. */
export interface AccountKeys {
  readonly hasKey: boolean
  /** The account that was probably meant; empty where no account has a key. */
  readonly hint: string
}

/** More accounts are not listed. */
const mostListed = 5

export async function accountKeys(store: Store, account: string): Promise<AccountKeys> {
  const accounts = new Set((await new KeyRing(store).list(null)).map((key) => key.account))
  const isListed = accounts.size > 0 && (accounts.size <= mostListed || nearest(account, accounts) !== null)
  return { hasKey: accounts.has(account), hint: isListed ? didYouMean(account, accounts) : '' }
}

/** A note on standard error that an account has nothing of what a command was asked for, such as `no rows`. */
export function noteEmptyAccount(account: string, what: string, { hasKey, hint }: AccountKeys): void {
  const keyless = hasKey ? '' : ' It has no API key either.'
  console.error(
    `Note: the account ${account} has ${what}.${keyless}${hasKey || hint === '' ? '' : ` ${hint}`}`,
  )
}
