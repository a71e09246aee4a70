import type { Resource, View, ViewField } from '../compile/model.ts'

/** The scopes that a caller holds: rules and fields ask for some of them. */
export type Grants = ReadonlySet<string>

/** The scopes of the operator, who may know everything. */
export const allGrants: Grants = new Set(['*'])

/** `*` holds every scope, for all that it opens: the caller's own account, and the reading of shared rows. */
export const holds = (grants: Grants, scope: string): boolean => grants.has('*') || grants.has(scope)

/** The writing of shared rows needs a scope by its name. */
export const holdsToWrite = (grants: Grants, scope: string, { shared }: Resource): boolean =>
  grants.has(scope) || (!shared && grants.has('*'))

/** The scopes that rules on writing go by: `*` does not write shared rows. */
export const grantsToWrite = (grants: Grants, { shared }: Resource): Grants =>
  shared ? new Set([...grants].filter((scope) => scope !== '*')) : grants

/**
 * Which of the scopes are held, as a text of `1` and `0`. Callers with the same answers share plans and entity tags, so the
 * answers are part of their keys. Nobody asks for most resources: the text is empty.
 */
export function answersOf(grants: Grants, asked: readonly string[]): string {
  let answers = ''
  for (const scope of asked) answers += holds(grants, scope) ? '1' : '0'
  return answers
}

/** Whether a caller may know the values of a field: see them, and filter or sort by them. */
export const mayKnow = (field: ViewField, grants: Grants): boolean =>
  field.needsScopes.every((scope) => holds(grants, scope))

/** A caller with `*` knows the fields of shared rows, but sets only those whose scopes it holds by name. */
export const maySet = (view: View, field: ViewField, grants: Grants): boolean =>
  field.needsScopes.every((scope) => holdsToWrite(grants, scope, view.resource))

export const noScopes: Grants = new Set()
