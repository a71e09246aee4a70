import type { Caller } from '../call/caller.ts'
import { mayKnow, noScopes } from '../call/grants.ts'
import type { Disclosure } from '../request/disclosure.ts'
import { hasScope, isPublic } from './scopes.ts'

/** A refusal names only fields that the caller may know, and relations to rows that it may read. */
export const disclosedTo = (caller: Caller | null): Disclosure => ({
  mayKnow: (field) => mayKnow(field, caller?.scopes ?? noScopes),
  mayRead: (view) => (caller ? hasScope(view, 'GET', caller) : isPublic(view, 'GET')),
})
