import type { View, ViewField } from '../compile/model.ts'
import { answersOf, type Grants, mayKnow } from './grants.ts'
import { viewShapeOf } from './view-shape.ts'

/** What callers with certain scopes are shown of a row. */
export interface Shown {
  readonly fields: readonly ViewField[]
  /** A hash of the shown fields' names and forms, for entity tags. */
  readonly shape: string
}

const isShown = (field: ViewField, grants: Grants): boolean => !field.writeOnly && mayKnow(field, grants)

/** By the answers to the scopes that the resource asks for. Callers can multiply them, so their number is bounded. */
const known = new WeakMap<View, Map<string, Shown>>()
const mostKnown = 1_000

export function shownTo(view: View, grants: Grants): Shown {
  const ofView = known.get(view) ?? new Map<string, Shown>()
  known.set(view, ofView)
  const answers = answersOf(grants, view.resource.asks)
  const made = ofView.get(answers)
  if (made) return made
  const fields = view.fields.filter((field) => isShown(field, grants))
  const shown = { fields, shape: viewShapeOf(fields) }
  if (ofView.size >= mostKnown) ofView.clear()
  ofView.set(answers, shown)
  return shown
}
