import type { Field, Resource } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { Loss } from '../decide/loss.ts'
import type { Question } from '../decide/questions-to-people.ts'
import type { PresentTable } from '../present.ts'
import type { Scanned, Unfit } from '../rows/scan.ts'
import { notAllowed, rowsByValue } from '../rows/unfit-rows.ts'
import { fitting, whyUnfit } from '../rows/value-of-other-type.ts'
import type { Column, Table } from '../wanted/table.ts'
import type { Planning } from './planning.ts'
import type { ColumnPlan } from './table-change.ts'

/** A wanted column, with the table and the column that have its values now. */
export interface Wanting {
  readonly resource: Resource
  readonly table: Table
  readonly found: PresentTable
  readonly column: Column
  /** Null for columns of the engine's own. */
  readonly field: Field | null
  readonly from: string | null
  /** The present name of the table that a reference leads to; null for a new table, and one that loses its rows. */
  readonly targetNow: (table: string) => string | null
}

export const nameOf = ({ resource, column }: Pick<Wanting, 'resource' | 'column'>): string =>
  `${resource.name}.${column.name}`

/**
 * What rows have that would have nothing; says what is lost. `scanned` has the values that the field does not allow any more, `unset` is the number
 * of rows without a value of a field that is required now.
 */
export async function replacementsOf(
  planning: Planning,
  wanting: Wanting,
  scanned: Scanned | null,
  unset: number,
): Promise<Pick<ColumnPlan, 'instead' | 'otherwise'>> {
  const unfit = scanned?.unfit ?? []
  const instead = await chosenInstead(planning, wanting, unfit)
  const left = unfit.filter(({ value }) => value === null || !instead.has(value))
  if (left.length + unset > 0) return { instead, otherwise: await otherwise(planning, wanting, left, unset) }
  // Events may have values that no row has.
  return {
    instead,
    otherwise: wanting.column.nullable ? undefined : [...instead.values()][0],
  }
}

async function otherwise(
  planning: Planning,
  wanting: Wanting,
  unfit: readonly Unfit[],
  unset: number,
): Promise<unknown> {
  const { resource, column } = wanting
  const faults = [
    ...(unfit.length > 0 ? [notAllowed(resource, column.name, unfit)] : []),
    ...(unset > 0 ? [valueless(wanting, unset)] : []),
  ]
  const which = unfit.length > 0 ? 'Which value instead?' : 'Which value?'
  const value = await replacementOf(planning, wanting, {
    why: faults.join('. '),
    which,
    losesValues: unfit.length > 0,
  })
  // A required field without a value is refused: nothing is lost then.
  if (unfit.length > 0 && (value !== undefined || column.nullable)) {
    const isDecided =
      planning.decisions.fillOf(nameOf(wanting)) !== undefined || emptyTarget(wanting) !== null
    planning.losses.push({
      ...becoming(wanting, unfit, value ?? null),
      ...(!isDecided && { fillable: nameOf(wanting) }),
    })
  }
  return value
}

function becoming({ resource, column }: Wanting, unfit: readonly Unfit[], value: unknown): Loss {
  const [it, become] = [unfit.length === 1 ? 'it' : 'they', JSON.stringify(value)]
  return {
    ahead: `${notAllowed(resource, column.name, unfit)}: ${it} would become ${become}.`,
    done: `${notAllowed(resource, column.name, unfit, 'before')}: ${it} became ${become}.`,
  }
}

/** Beyond this many values that are gone, nobody is asked for each. */
const askedMost = 9
const noValue = ' null '

/**
 * What rows have in place of values that are gone: what `became(…)` of the declaration says; and where the field lists its values, as an enum and
 * states do, what a person chooses for each other one. Nothing where there is nobody to ask, or where `--fill` has one value for all.
 */
async function chosenInstead(
  planning: Planning,
  wanting: Wanting,
  unfit: readonly Unfit[],
): Promise<ReadonlyMap<string, string | null>> {
  const { resource, table, column, field } = wanting
  const { decisions } = planning
  const name = nameOf(wanting)
  const became = planning.former.values.get(`${table.name}.${column.name}`) ?? {}
  const instead = new Map<string, string | null>(
    Object.entries(became).map(([gone, now]) => [JSON.stringify(gone), now]),
  )
  const rowsWith = (value: string) => unfit.filter((one) => one.value === value)
  const open = [...rowsByValue(unfit).keys()].filter((value) => !instead.has(value))
  const listed = choicesOf(field)
  const isKnown = decisions.acceptsDataLoss && (column.nullable || column.default !== undefined)
  const isAsked =
    listed.length > 0 && open.length <= askedMost && !isKnown && decisions.fillOf(name) === undefined
  const choices = column.nullable ? [...listed, { value: noValue, says: 'no value' }] : listed
  for (const value of isAsked ? open : []) {
    const text = `${notAllowed(resource, column.name, rowsWith(value))}. Which value instead?`
    const answer = await decisions.answer(`${name} ${value}`, { kind: 'fill', text, choices }, (typed) =>
      choices.some((one) => one.value === typed) ? null : `${name} cannot be ${JSON.stringify(typed)}.`,
    )
    if (answer !== undefined) instead.set(value, answer === noValue ? null : answer)
  }
  for (const [value, chosen] of instead) {
    const rows = rowsWith(value)
    if (rows.length === 0) continue
    const loss = becoming(wanting, rows, chosen)
    // A value that a person has put in the place of another one is no loss, and no second question.
    if (chosen === null) planning.losses.push(loss)
    else planning.notes.push(loss.done.replace(/\.$/, ''))
  }
  return instead
}

/** The values that the field lists; none where it lists none. */
const choicesOf = (field: Field | null): Question['choices'] =>
  field && kinds[field.kind].listsValues
    ? (field.schema.enum ?? []).map((value) => ({ value: String(value), says: String(value) }))
    : []

export const valueless = (wanting: Wanting, rows: number): string =>
  `${nameOf(wanting)} is required, and ${counted(rows, 'row')} ${rows === 1 ? 'has' : 'have'} no value for it`

/** Why rows need a value, and the question for it. */
interface Need {
  readonly why: string
  readonly which: string
  /** Whether the value stands in the place of others, which are lost. */
  readonly losesValues?: boolean
}

/** A value from `--fill`, the default, or a person; undefined for NULL. Where a required field has none, the plan is refused. */
export async function replacementOf(
  planning: Planning,
  wanting: Wanting,
  { why, which, losesValues }: Need,
): Promise<unknown> {
  const { column, field } = wanting
  const name = nameOf(wanting)
  const filled = filledWith(planning, wanting)
  if (filled) return filled.value
  if (column.nullable) return undefined
  if (column.default !== undefined && field) return fitting(column.default, field) ?? column.default
  const empty = emptyTarget(wanting)
  if (empty !== null) {
    planning.refusals.push(`${why}. ${empty}: make the relation optional, or delete these rows first.`)
    return undefined
  }
  const takesAnyText = field !== null && ['', 'q'].some((text) => fromText(text, field).fault === null)
  const question = {
    kind: 'fill',
    text: `${why}. ${which}`,
    choices: choicesOf(field),
    takesAnyText,
  } as const
  const answer = await planning.decisions.answer(name, question, (text) => {
    const fault = field && fromText(text, field).fault
    return fault && `${name} cannot be ${JSON.stringify(text)}: ${fault}.`
  })
  if (answer !== undefined) return filledWith(planning, wanting)?.value
  const option = planning.decisions.option(
    `--fill ${name}=VALUE${losesValues && !planning.decisions.acceptsDataLoss ? ' --accept-data-loss' : ''}`,
  )
  planning.refusals.push(`${why}. Make the field optional, give it a default, or use ${option}.`)
  return undefined
}

/** A reference to a table that is new, or loses its rows, has no value that would help; null for all others. */
function emptyTarget({ field, targetNow }: Wanting): string | null {
  const target = field?.relation?.target
  return target && targetNow(target.table) === null
    ? `${target.name} will have no rows that it could lead to`
    : null
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
  const empty = emptyTarget(wanting)
  if (empty !== null) planning.refusals.push(`--fill ${name}=${text}: ${empty}.`)
  const { value, fault } = fromText(text, field)
  if (fault !== null)
    planning.refusals.push(`--fill ${name}=${text}: the field does not allow this value: ${fault}.`)
  return { value }
}
