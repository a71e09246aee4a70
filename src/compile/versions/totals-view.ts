import { kinds } from '../../kinds/kinds.ts'
import { filterTargets } from '../changes/filter-targets.ts'
import type { DraftTotals } from '../changes/view-draft.ts'
import type { Field, TotalsView, View, ViewField } from '../model.ts'
import { plainField } from '../resources/declared-fields.ts'
import type { Mutable } from '../resources/resource-draft.ts'
import { headField } from './views.ts'

/** The member of a row of totals that says how many rows the group has. */
export const countMember = 'count'

/** At most so many groups are told apart: a report is no way to list rows. */
export const mostGroups = 1_000

/** Totals have the groups, sums and filters that their version has of the rows they count, in its words. */
export const completeTotals = (view: Mutable<View>, { by, sums }: DraftTotals, of: View): void => {
  const totals: TotalsView = { of: () => of, by: fieldsNamed(by, of), sums: fieldsNamed(sums, of) }
  view.totals = Object.freeze(totals)
  view.fields = [
    ...[...totals.by.values()].map(groupField),
    Object.freeze(countField()),
    ...[...totals.sums.values()].map(sumField),
  ]
  view.field = new Map(view.fields.map((field) => [field.name, field]))
  view.sorts = new Set([...totals.by.keys(), countMember])
  view.filterOf = filterTargets(of, of.filters)
  view.filters = of.filters
  view.eitherOr &&= of.eitherOr
  Object.freeze(view)
}

/** What the version makes by code from other fields has no column to group by or to add up. */
const fieldsNamed = (names: readonly string[], { fields }: View): ReadonlyMap<string, ViewField> =>
  new Map(
    names.flatMap((name) => {
      const shown = fields.find(({ field }) => field?.name === name)
      return shown && !shown.writeOnly ? [[shown.name, shown] as const] : []
    }),
  )

/** Values of a group have the names that the version shows, so nothing is mapped any more. */
const groupField = (shown: ViewField): ViewField => {
  const stored = shown.field as Field
  const column = plainField(shown.name, stored.kind, kinds[stored.kind].listsValues ? {} : stored.schema)
  return Object.freeze({
    ...answered(shown),
    field: Object.freeze({ ...column, nullable: shown.nullable, relation: stored.relation }),
    nullable: shown.nullable,
  })
}

const sumField = (shown: ViewField): ViewField => {
  const stored = shown.field as Field
  const schema = kinds[stored.kind].sum?.schema(stored.schema) ?? stored.schema
  return Object.freeze({
    ...answered(shown),
    field: Object.freeze(plainField(shown.name, stored.kind, schema)),
    // An older version writes a number as a text, of which only one value has to have the form that was declared.
    schema: shown.codec ? { type: 'string' } : schema,
    nullable: false,
    description: `The sum of \`${shown.name}\`.`,
  })
}

/** A field that is only shown. */
const answered = (shown: ViewField): ViewField => ({
  ...shown,
  required: false,
  default: undefined,
  readOnly: true,
  immutable: false,
  states: null,
  values: null,
})

const countField = (): ViewField => ({
  ...headField({
    ...plainField(countMember, 'integer', { type: 'integer', minimum: 0 }),
    readOnly: true,
    description: 'How many rows there are.',
  }),
  target: null,
})
