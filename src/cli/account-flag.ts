import type { Model } from '../compile/model.ts'
import { UsageMistake } from './command-mistake.ts'

/** What `--account` says; the only account, where the API has one, of which nothing has to be said. */
export function accountOf(
  { soleAccount }: Pick<Model, 'soleAccount'>,
  flag: string | undefined,
): string | undefined {
  if (soleAccount === null || flag === soleAccount) return flag
  if (flag === undefined) return soleAccount
  throw new UsageMistake("This API has one account (accounts: 'one'), so leave --account out.")
}

/** ` of acme`, for messages; empty where the API has one account. */
export const ofAccount = ({ soleAccount }: Pick<Model, 'soleAccount'>, account: string): string =>
  soleAccount === null ? ` of ${account}` : ''
