import type { RenameField, RenameRelation, RenameResource } from '../../declare/change.ts'
import type { Method, ScopeRule } from '../../declare/resource.ts'
import { didYouMean } from '../nearest.ts'
import type { Inverse } from './inverse.ts'
import type { Report } from './report.ts'
import { type DraftView, withField, withRelation, withView } from './view-draft.ts'

const resourceName = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const fieldName = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

const namedWell = (name: string, pattern: RegExp, form: string, report: Report): boolean => {
  if (pattern.test(name)) return true
  report.mistake(`"${name}" cannot be a name.`, `Write it in lowercase, words joined by ${form}.`)
  return false
}

export const renameResource: Inverse<RenameResource> = (draft, { from, to }, report) => {
  if (!report.view(to) || !namedWell(from, resourceName, 'hyphens', report)) return draft
  if (!report.claim(to, 'name')) return draft
  const renamed = withView(draft, to, (view) => ({ ...view, name: from }))
  return new Map([...renamed].map(([key, view]) => [key, { ...view, scopes: scopesNamed(view, from, to) }]))
}

/** Scopes are named after resources: `customers:read` was `clients:read`. */
const scopesNamed = ({ scopes }: DraftView, from: string, to: string): DraftView['scopes'] => {
  const named = (rule: ScopeRule): ScopeRule =>
    rule.startsWith(`${to}:`) ? `${from}:${rule.slice(to.length + 1)}` : rule
  const entries = Object.entries(scopes).map(([method, rule]) => [method, named(rule)])
  return Object.fromEntries(entries) as { readonly [M in Method]: ScopeRule }
}

export const renameField: Inverse<RenameField> = (draft, { resource, from, to }, report) => {
  const view = report.view(resource)
  const field = view && report.field(view, resource, to)
  if (!field || !namedWell(from, fieldName, 'underscores', report)) return draft
  if (field.kind === 'reference' && field.field?.relation) {
    const relation = to.replace(/_id$/, '')
    report.mistake(
      `"${to}" is the id of the relation ${relation}.`,
      `Write renameRelation('${resource}', '${from.replace(/_id$/, '')}', '${relation}'): it renames both.`,
    )
    return draft
  }
  if (field.kind === 'id') {
    report.mistake('the id of a row is called "id" in every version.', 'Leave this change out.')
    return draft
  }
  if (!report.claim(`${resource}.${to}`, 'name')) return draft
  return withView(draft, resource, (one) => withField(one, to, { name: from }))
}

export const renameRelation: Inverse<RenameRelation> = (draft, { resource, from, to }, report) => {
  const view = report.view(resource)
  if (!view || !namedWell(from, fieldName, 'underscores', report)) return draft
  const relation = view.relations.get(to)
  if (!relation) {
    report.mistake(`"${to}" is not a relation of ${resource}.`, didYouMean(to, view.relations.keys()))
    return draft
  }
  if (!report.claim(`relation ${resource}.${to}`, 'name')) return draft
  return withView(draft, resource, (one) => withReference(withRelation(one, to, { name: from }), from, to))
}

/** `customer` renamed, `customer_id` follows. */
const withReference = (view: DraftView, from: string, to: string): DraftView =>
  view.relations.get(to)?.relation.kind === 'belongs-to'
    ? withField(view, `${to}_id`, { name: `${from}_id` })
    : view
