import type { Field, Resource } from '../../../compile/model.ts'
import { counted } from '../../../compile/plural.ts'
import { kinds } from '../../../kinds/kinds.ts'
import type { PresentTable } from '../present.ts'
import type { Column, Table } from '../table.ts'
import type { Planning } from './planning.ts'
import { fitting, whyUnfit } from './recast.ts'
import type { Scanned } from './scan.ts'
import { notAllowed } from './unfit-rows.ts'

/** A wanted column, with the table and the column that have its values now. */
export interface Wanting {
  readonly resource: Resource
  readonly table: Table
  readonly found: PresentTable
  readonly column: Column
  /** Null for columns of the engine's own. */
  readonly field: Field | null
  readonly from: string | null
  /** The present name of the table that a reference leads to; null for a new table. */
  readonly targetNow: (table: string) => string | null
}

export const nameOf = ({ resource, column }: Pick<Wanting, 'resource' | 'column'>): string =>
  `${resource.name}.${column.name}`

/** Rows and events that would have nothing. */
export interface Lacking {
  /** With the values that the field does not allow any more. */
  readonly scanned: Scanned | null
  /** The rows that have no value of a field that is required now. */
  readonly unset: number
  /** Of the events; counted only where every row has a value that fits. */
  readonly unfitEvents: number
  /** What events without a value have been shown with until now; undefined where there is nothing. */
  readonly formerDefault: unknown
}

/** What rows and events have that would have nothing; says what is lost. */
export async function otherwise(planning: Planning, wanting: Wanting, lacking: Lacking): Promise<unknown> {
  const { column } = wanting
  const { scanned, unset, unfitEvents } = lacking
  const unfit = scanned?.unfit.length ?? 0
  if (unfit + unset === 0)
    return unfitEvents === 0 ? undefined : otherwiseInEvents(planning, wanting, lacking)
  const disallowed = (when: 'now' | 'before') =>
    notAllowed(wanting.resource, column.name, unfit, scanned?.example ?? null, when)
  const faults = [
    ...(unfit > 0 ? [disallowed('now')] : []),
    ...(unset > 0 ? [valueless(wanting, counted(unset, 'row'), unset)] : []),
  ]
  const which = unfit > 0 ? 'Which value instead?' : 'Which value?'
  const value = await replacementOf(planning, wanting, { why: faults.join('. '), which })
  // A required field without a value is refused: nothing is lost then.
  if (unfit > 0 && (value !== undefined || column.nullable)) {
    const become = value === undefined ? 'null' : JSON.stringify(value)
    const it = unfit === 1 ? 'it' : 'they'
    planning.losses.push({
      ahead: `${disallowed('now')}: ${it} would become ${become}.`,
      done: `${disallowed('before')}: ${it} became ${become}.`,
    })
  }
  return value
}

/** Every row fits, and events show rows as they were once. */
async function otherwiseInEvents(
  planning: Planning,
  wanting: Wanting,
  { unfitEvents, formerDefault }: Lacking,
): Promise<unknown> {
  const events = counted(unfitEvents, 'event')
  planning.notes.push(`${events} of ${wanting.resource.name} got another value of ${nameOf(wanting)}`)
  if (wanting.column.nullable) return undefined
  const why = valueless(wanting, events, unfitEvents)
  return formerDefault ?? replacementOf(planning, wanting, { why, which: 'Which value?' })
}

export const valueless = (wanting: Wanting, things: string, count: number): string =>
  `${nameOf(wanting)} is required, and ${things} ${count === 1 ? 'has' : 'have'} no value for it`

/** Why rows need a value, and the question for it. */
interface Need {
  readonly why: string
  readonly which: string
}

/** A value from `--fill`, the default, or a person; undefined for NULL. Where a required field has none, the plan is refused. */
export async function replacementOf(
  planning: Planning,
  wanting: Wanting,
  { why, which }: Need,
): Promise<unknown> {
  const { column, field } = wanting
  const name = nameOf(wanting)
  const filled = filledWith(planning, wanting)
  if (filled) return filled.value
  if (column.nullable) return undefined
  if (column.default !== undefined && field) return fitting(column.default, field) ?? column.default
  const question = { kind: 'fill', text: `${why}. ${which}`, choices: [] } as const
  const answer = await planning.decisions.answer(name, question, (text) => {
    const fault = field && fromText(text, field).fault
    return fault && `${name} cannot be ${JSON.stringify(text)}: ${fault}.`
  })
  if (answer !== undefined) return filledWith(planning, wanting)?.value
  planning.refusals.push(`${why}. Make the field optional, give it a default, or use --fill ${name}=VALUE.`)
  return undefined
}

/** A text as a value of the field, checked as a request's value is. */
function fromText(text: string, field: Field): { readonly value: unknown; readonly fault: string | null } {
  const parsed = kinds[field.kind].fromOther(text, 'string', field.schema)
  const value = parsed === undefined ? undefined : fitting(parsed, field)
  return { value, fault: value === undefined ? whyUnfit(parsed ?? text, field) : null }
}

/** The value of `--fill` or of an answer, undefined where the plan is refused because the field does not allow it; null where there is none. */
export function filledWith(planning: Planning, wanting: Wanting): { readonly value: unknown } | null {
  const { field } = wanting
  const name = nameOf(wanting)
  const text = planning.decisions.fillOf(name)
  if (text === undefined || !field) return null
  const { value, fault } = fromText(text, field)
  if (fault !== null)
    planning.refusals.push(`--fill ${name}=${text}: the field does not allow this value: ${fault}.`)
  return { value }
}
