import type { Caller } from '../call/caller.ts'
import type { Model, Version, View } from '../compile/model.ts'
import type { Method } from '../declare/resource.ts'
import { credentialsMissing, scopeMissing } from '../request/challenge.ts'

/** What a call needs: nothing, any caller, or a scope under one of its accepted names. */
type Demand = { readonly kind: 'public' } | { readonly kind: 'authenticated' } | ScopeDemand

interface ScopeDemand {
  readonly kind: 'scope'
  /** The scope's name in the called version, for the refusal. */
  readonly shown: string
  readonly accepted: readonly string[]
  /** Whether `*` stands for the scope too. */
  readonly acceptsAll: boolean
}

const demands = new WeakMap<View, Map<string, Demand>>()

/** Whether a caller may call a method of a view. */
export const hasScope = (view: View, method: string, caller: Caller): boolean => {
  const demand = demandOf(view, method)
  return demand.kind !== 'scope' || holds(caller, demand)
}

/** Whether a method of a view needs no credentials. */
export const isPublic = (view: View, method: string): boolean => demandOf(view, method).kind === 'public'

/** Throws 401 without a caller, 403 without the scope. */
export const demandScope = (view: View, method: string, caller: Caller | null): void => {
  const demand = demandOf(view, method)
  if (demand.kind === 'public') return
  if (caller === null) throw credentialsMissing()
  if (demand.kind === 'authenticated' || holds(caller, demand)) return
  throw scopeMissing(
    [demand.shown],
    `These credentials lack the scope "${demand.shown}", which this call needs.`,
  )
}

/** Reading an included row needs the same scope as fetching it alone. */
export const demandReadScopes = (views: Iterable<View>, caller: Caller | null): void => {
  for (const view of views) demandScope(view, 'GET', caller)
}

const holds = (caller: Caller, { accepted, acceptsAll }: ScopeDemand): boolean => {
  if (acceptsAll && caller.scopes.has('*')) return true
  for (const scope of accepted) if (caller.scopes.has(scope)) return true
  return false
}

const demandOf = (view: View, method: string): Demand => {
  let byMethod = demands.get(view)
  if (!byMethod) {
    byMethod = new Map()
    demands.set(view, byMethod)
  }
  let demand = byMethod.get(method)
  if (!demand) {
    demand = makeDemand(view, method)
    byMethod.set(method, demand)
  }
  return demand
}

const makeDemand = (view: View, method: string): Demand => {
  const rule = view.scopes[(method === 'HEAD' ? 'GET' : method) as Method]
  if (rule === 'public') return { kind: 'public' }
  if (rule === 'authenticated') return { kind: 'authenticated' }
  const action = actionOf(rule, view)
  const acceptsAll = !writesShared(view, method)
  if (action === null) return { kind: 'scope', shown: rule, accepted: [rule], acceptsAll }
  const inHead = `${view.resource.name}:${action}`
  const here = `${view.name}:${action}`
  return { kind: 'scope', shown: here, accepted: ownsItsName(view) ? [inHead, here] : [inHead], acceptsAll }
}

/** `*` opens everything of the caller's own account. Shared rows are everyone's, so writing them needs its scope by name. */
const writesShared = (view: View, method: string): boolean =>
  view.resource.shared && method !== 'GET' && method !== 'HEAD'

/** `read` of `customers:read` or `clients:read`; null for a scope that is not named after the resource. */
const actionOf = (rule: string, view: View): string | null => {
  for (const name of [view.resource.name, view.name]) {
    if (rule === `${name}:read`) return 'read'
    if (rule === `${name}:write`) return 'write'
  }
  return null
}

/** False when a newer version uses the name for another resource: a scope of the one must not give access to the other. */
const ownsItsName = (view: View): boolean => {
  for (let newer: Version | null = view.version.successor; newer !== null; newer = newer.successor) {
    const namesake = newer.views.get(view.name)
    if (namesake !== undefined && namesake.resource !== view.resource) return false
  }
  return true
}

/** Every scope that is declared or that some call of some version needs, and `*`. */
export const knownScopes = (model: Model): ReadonlySet<string> => {
  const known = new Set(['*', ...model.scopes.keys()])
  for (const version of model.versions) {
    for (const view of version.views.values()) {
      for (const rule of Object.values(view.scopes)) {
        if (rule !== 'public' && rule !== 'authenticated') known.add(rule)
      }
      for (const name of [view.resource.name, view.name]) {
        known.add(`${name}:read`)
        known.add(`${name}:write`)
      }
    }
  }
  return known
}

/** The scopes that write shared rows, in some version: `*` stands for none of them. */
export const sharedWriteScopes = (model: Model): readonly string[] => {
  const scopes = new Set<string>()
  for (const view of model.versions.flatMap((version) => [...version.views.values()])) {
    for (const method of view.resource.shared ? view.methods : []) {
      const demand = demandOf(view, method)
      if (demand.kind === 'scope' && !demand.acceptsAll) scopes.add(demand.accepted[0] ?? demand.shown)
    }
  }
  return [...scopes]
}
