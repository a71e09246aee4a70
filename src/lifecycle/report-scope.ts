import { type Caller, operatorScope } from '../request/caller.ts'

/**
 * Whose usage a caller may see: of all accounts with the operators' scope, which must be given by name; of its own with `*`,
 * because every consumer's key has that unless said, and one account is none of another's business.
 */
export function reportScope(caller: Caller | null): { readonly account: string | null } | null {
  if (!caller) return null
  if (caller.scopes.has(operatorScope)) return { account: null }
  return caller.scopes.has('*') ? { account: caller.account } : null
}
