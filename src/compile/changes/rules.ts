import type { ChangeLimit, RemoveMethod, RequireIdempotencyKey, RequireScope } from '../../declare/change.ts'
import { didYouMean } from '../nearest.ts'
import { hasTopLevel } from '../owners.ts'
import type { Inverse } from './inverse.ts'
import { type Draft, type DraftView, withView } from './view-draft.ts'

export const changeLimit: Inverse<ChangeLimit> = (draft, { resource, limit, was }, report) => {
  const view = report.view(resource)
  if (!view) return draft
  if (!(limit in view.limits)) {
    report.mistake(`"${limit}" is not a limit.`, didYouMean(limit, Object.keys(view.limits)))
    return draft
  }
  if (!Number.isSafeInteger(was) || was < 1) {
    report.mistake(`${was} cannot be a limit.`, 'Write a whole number from 1.')
    return draft
  }
  if (view.limits[limit] === was) {
    report.mistake(
      `${limit} of ${resource} is still ${was}.`,
      'Change the limit in the declaration, or leave this out.',
    )
    return draft
  }
  if (!report.claim(`${resource} ${limit}`, 'limit')) return draft
  return withView(draft, resource, (one) =>
    withRows({ ...one, limits: { ...one.limits, [limit]: was } }, limit, was),
  )
}

/** The limit on rows holds for each to-many relation that has no cap of its own. */
const withRows = (view: DraftView, limit: string, was: number): DraftView => {
  if (limit !== 'includeRows') return view
  const relations = [...view.relations].map(([key, one]) => {
    const capped = one.relation.kind === 'has-many' && one.relation.cap === null
    return [key, capped ? { ...one, cap: was } : one] as const
  })
  return { ...view, relations: new Map(relations) }
}

export const requireIdempotencyKey: Inverse<RequireIdempotencyKey> = (draft, { resource }, report) => {
  const view = report.view(resource)
  if (!view) return draft
  if (view.idempotency.mode !== 'required') {
    report.mistake(
      `the Idempotency-Key of ${resource} is ${view.idempotency.mode}, not required.`,
      `Declare it on ${resource}: idempotencyKey: 'required'.`,
    )
    return draft
  }
  if (!report.claim(`${resource} Idempotency-Key`, 'key')) return draft
  return withView(draft, resource, (one) => ({
    ...one,
    idempotency: { ...one.idempotency, mode: 'optional' },
  }))
}

export const requireScope: Inverse<RequireScope> = (draft, { resource, method, was }, report) => {
  const view = report.view(resource)
  if (!view) return draft
  const rule = view.scopes[method]
  if (rule === undefined || rule === was) {
    report.mistake(
      rule === undefined ? `"${method}" is not a method.` : `${method} of ${resource} still needs "${was}".`,
      rule === undefined
        ? didYouMean(method, Object.keys(view.scopes))
        : 'Change its scopes, or leave this out.',
    )
    return draft
  }
  if (!report.claim(`scope of ${method} ${resource}`, 'key')) return draft
  return withView(draft, resource, (one) => ({ ...one, scopes: { ...one.scopes, [method]: was } }))
}

export const removeMethod: Inverse<RemoveMethod> = (draft, { resource, method }, report) => {
  const view = report.view(resource)
  if (!view) return draft
  if (!(method in view.scopes)) {
    report.mistake(`"${method}" is not a method.`, didYouMean(method, Object.keys(view.scopes)))
    return draft
  }
  if (view.methods.has(method)) {
    report.mistake(
      `${resource} still offers ${method}.`,
      'Take it off the methods of the resource, or leave this out.',
    )
    return draft
  }
  if (!report.claim(`${method} ${resource}`, 'method')) return draft
  return withView(draft, resource, (one) => ({
    ...(one.methods.size === 0 ? withPaths(one, draft) : one),
    methods: new Set([...one.methods, method]),
  }))
}

/** A resource that the newer version dropped has no paths there; its older ones follow from what is stored. */
const withPaths = (view: DraftView, draft: Draft): DraftView => ({
  ...view,
  topLevel: hasTopLevel(view.resource),
  under: [...draft.values()].flatMap((owner) =>
    [...owner.relations]
      .filter(([, { relation }]) => relation.kind === 'has-many' && relation.target === view.resource)
      .map(([key]) => ({ owner: owner.resource.name, relation: key })),
  ),
})
