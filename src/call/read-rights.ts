import type { View } from '../compile/model.ts'
import type { Caller } from './caller.ts'
import { callerValue } from './caller-value.ts'
import { answersOf } from './grants.ts'

/** What the read rule of rows reads of the caller, as text: with other claims a list is another list. The time is not in it, or no page had a next one. */
export function claimsOfRule({ resource }: View, caller: Caller): string {
  const values = resource.rules.read?.callerValues.filter(({ source }) => source !== 'now') ?? []
  return values.length === 0 ? '' : ` ${JSON.stringify(values.map((value) => callerValue(value, caller, 0)))}`
}

/** The same, with the scopes that the rule asks for: two callers with the same text may read the same rows. */
export function readRights(view: View, caller: Caller): string {
  const scopes = view.resource.rules.read?.scopes ?? []
  return `${claimsOfRule(view, caller)}${scopes.length === 0 ? '' : ` ${answersOf(caller.scopes, scopes)}`}`
}
