import type { Caller } from '../call/caller.ts'
import type { Audience } from '../events/show-event.ts'
import { hasScope } from './scopes.ts'

/** An event shows a row, which needs the same scope as a row that is fetched alone. */
export const audienceOf = (caller: Caller): Audience => ({
  caller,
  grants: caller.scopes,
  mayRead: (view) => hasScope(view, 'GET', caller),
})
