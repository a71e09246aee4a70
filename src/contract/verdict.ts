import { codecs } from '../compile/codecs.ts'
import type { Version, ViewField } from '../compile/model.ts'
import type { Verdict } from '../compile/schema-verdict.ts'
import type { Change } from '../declare/change.ts'

/** `two-way`: nothing is lost; `keeps`: what the other version cannot see stays stored; `loses`: see its `why`. */
export type Loss = 'two-way' | 'keeps' | 'loses'

/** What the catalogue says of one change of a version's list. */
export interface JudgedChange {
  readonly change: Change
  readonly verdict: Verdict
  readonly loss: Loss
}

/** The catalogue's judgement, made without looking at contracts (diff.ts looks at nothing else). */
export const judgeChanges = (version: Version): readonly JudgedChange[] =>
  version.changes.map((change) => ({
    change,
    verdict: verdictOf(change, version.successor ?? version),
    loss: lossOf(change),
  }))

const fieldOf = (newer: Version, resource: string, field: string): ViewField | undefined =>
  newer.views.get(resource)?.field.get(field)

const verdictOf = (change: Change, newer: Version): Verdict => {
  switch (change.kind) {
    case 'change-limit': {
      const now = newer.views.get(change.resource)?.limits[change.limit] ?? 0
      return now < change.was ? 'breaking' : 'additive'
    }
    case 'map-values': {
      const renames = Object.entries(change.values).some(([old, now]) => old !== now)
      const field = fieldOf(newer, change.resource, change.field)
      const readersExpectIt = field?.writeOnly === true || field?.open === true
      return renames || !readersExpectIt ? 'breaking' : 'additive'
    }
    default:
      return 'breaking'
  }
}

const lossOf = (change: Change): Loss => {
  switch (change.kind) {
    case 'remove-field':
    case 'add-required-field':
      return 'keeps'
    case 'make-required':
      return 'loses'
    case 'map-values':
      return mergesValues(change.values) || Object.keys(change.onlyInNewer).length > 0 ? 'loses' : 'two-way'
    case 'change-type':
      return codecs[change.codec].loses === null ? 'two-way' : 'loses'
    default:
      return 'two-way'
  }
}

const mergesValues = (values: { readonly [old: string]: string }): boolean =>
  new Set(Object.values(values)).size !== Object.keys(values).length
