import { sameJson } from '../../../compile/canonical.ts'
import type { Field, Resource } from '../../../compile/model.ts'
import { counted } from '../../../compile/plural.ts'
import { kinds } from '../../../kinds/kinds.ts'
import type { PresentColumn, PresentTable } from '../present.ts'
import type { ColumnShape } from '../shape.ts'
import { mayBeSum } from '../sums.ts'
import type { Column, Table } from '../table.ts'
import type { ColumnPlan } from './follow-plan.ts'
import { lostValues } from './loss.ts'
import { otherPrefix } from './other-prefix.ts'
import { type Planning, storedShape } from './planning.ts'
import { fitting, sameForm, whyUnfit } from './recast.ts'
import { countRows, countSet, type Scanned, scanColumn, strayReferences } from './scan.ts'
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

const kept = (column: Column, from: string | null): ColumnPlan => ({
  column,
  from,
  kindBefore: null,
  values: 'kept',
  scanned: null,
  otherwise: undefined,
})

/** Whether the column is the same afterwards. */
export const isUntouched = (plan: ColumnPlan): boolean =>
  plan.from === plan.column.name &&
  plan.values === 'kept' &&
  (plan.scanned?.unfit.length ?? 0) === 0 &&
  plan.otherwise === undefined

export async function planColumn(planning: Planning, wanting: Wanting): Promise<ColumnPlan> {
  const { column, from, found, field } = wanting
  const present = from === null ? undefined : found.columns.get(from)
  if (from === null || !present) return newColumn(planning, wanting)
  if (field?.name === 'id') await refuseOtherPrefix(planning, wanting)
  if (!field || field.name === 'id') return kept(column, from)
  const before = storedShape(planning, found, from)
  if (!before) {
    planning.refusals.push(`${nameOf(wanting)} has the type ${present.type}, which no kind of field has.`)
    return kept(column, from)
  }
  if (field.sum) return planSum(planning, wanting, from, present, before)
  const isSame = sameForm(before.kind, field.kind)
  noteColumn(planning, wanting, present, before)
  const scanned = await scan(planning, wanting, from, before, field)
  return {
    column,
    from,
    kindBefore: before.kind,
    values: isSame ? 'kept' : 'recast',
    scanned,
    otherwise: await otherwise(planning, wanting, scanned, present.nullable ? from : null),
  }
}

/** All sums are computed once the tables fit. So a sum keeps no value of its column, unless the column was one before. */
async function planSum(
  planning: Planning,
  wanting: Wanting,
  from: string,
  present: PresentColumn,
  before: ColumnShape,
): Promise<ColumnPlan> {
  const { column, field, found } = wanting
  const wasSum = mayBeSum(before)
  noteColumn(planning, wanting, present, before)
  if (wasSum && before.kind === field?.kind && !present.nullable) return kept(column, from)
  const name = nameOf(wanting)
  const rows = wasSum || planning.emptied ? 0 : await countSet(planning, found.name, from, true)
  if (!wasSum) planning.notes.push(`${name} is a sum now`)
  if (rows > 0) planning.losses.push(lostValues(`${name} is a sum now`, rows))
  const scanned = { fitting: [], unfit: [], example: null }
  return { column, from, kindBefore: before.kind, values: 'recast', scanned, otherwise: column.default }
}

async function refuseOtherPrefix(planning: Planning, { resource, table, found }: Wanting): Promise<void> {
  if (planning.emptied) return
  const shape = planning.shape?.[found.name]?.id ?? { kind: 'id', schema: null, target: null }
  const stored = { table: found.name, primaryKey: table.primaryKey, column: 'id', shape }
  const why = await otherPrefix(planning, resource, stored)
  if (why !== null) planning.refusals.push(`${why}.`)
}

const nameOf = ({ resource, column }: Pick<Wanting, 'resource' | 'column'>): string =>
  `${resource.name}.${column.name}`

function noteColumn(
  { notes }: Planning,
  wanting: Wanting,
  present: PresentColumn,
  { kind, schema }: ColumnShape,
): void {
  const { column, field, from } = wanting
  const name = nameOf(wanting)
  if (from !== column.name) notes.push(`${name} was ${from}`)
  if (field && !sameForm(kind, field.kind))
    notes.push(
      `${name} is ${kinds[field.kind].typeName(field.schema)} now, and was ${kinds[kind].typeName(schema ?? {})}`,
    )
  if (present.nullable && !column.nullable) notes.push(`${name} is required now`)
  if (!present.nullable && column.nullable) notes.push(`${name} is optional now`)
}

/** The values that the field does not allow any more, and the new ones where their form changes; null where nothing changed. */
async function scan(
  planning: Planning,
  { table, found, targetNow }: Wanting,
  from: string,
  before: ColumnShape,
  field: Field,
): Promise<Scanned | null> {
  if (planning.emptied) return null
  const stored = { table: found.name, primaryKey: table.primaryKey, column: from, shape: before }
  const target = field.relation?.target
  if (target) {
    const now = targetNow(target.table)
    if (before.target !== null && before.target === now) return null
    const unfit =
      now === null
        ? await everyKey(planning, stored)
        : await strayReferences(planning, stored, { ...target, table: now })
    return { fitting: [], unfit, example: null }
  }
  const isSame = sameForm(before.kind, field.kind)
  if (isSame && before.kind === field.kind && before.schema && sameJson(before.schema, field.schema))
    return null
  return scanColumn(planning, stored, field, !isSame)
}

const everyKey = async (
  { session }: Planning,
  stored: { table: string; primaryKey: readonly string[]; column: string },
) => {
  const keys = stored.primaryKey.map((name) => `"${name}"`).join(', ')
  return session.all(`SELECT ${keys} FROM "${stored.table}" WHERE "${stored.column}" IS NOT NULL`)
}

/** What rows have that would have nothing; says what is lost. */
async function otherwise(
  planning: Planning,
  wanting: Wanting,
  scanned: Scanned | null,
  nullable: string | null,
): Promise<unknown> {
  const { column, found } = wanting
  const unfit = scanned?.unfit.length ?? 0
  const unset =
    column.nullable || nullable === null || planning.emptied
      ? 0
      : await countSet(planning, found.name, nullable, false)
  if (unfit + unset === 0) return undefined
  const disallowed = (when: 'now' | 'before') =>
    notAllowed(wanting.resource, column.name, unfit, scanned?.example ?? null, when)
  const faults = [
    ...(unfit > 0 ? [disallowed('now')] : []),
    ...(unset > 0 ? [valueless(wanting, unset)] : []),
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

const valueless = (wanting: Wanting, rows: number): string =>
  `${nameOf(wanting)} is required, and ${counted(rows, 'row')} ${rows === 1 ? 'has' : 'have'} no value for it`

/** Why rows need a value, and the question for it. */
interface Need {
  readonly why: string
  readonly which: string
}

/** A value from `--fill`, the default, or a person; undefined for NULL. Where a required field has none, the plan is refused. */
async function replacementOf(planning: Planning, wanting: Wanting, { why, which }: Need): Promise<unknown> {
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
function filledWith(planning: Planning, wanting: Wanting): { readonly value: unknown } | null {
  const { field } = wanting
  const name = nameOf(wanting)
  const text = planning.decisions.fillOf(name)
  if (text === undefined || !field) return null
  const { value, fault } = fromText(text, field)
  if (fault !== null)
    planning.refusals.push(`--fill ${name}=${text}: the field does not allow this value: ${fault}.`)
  return { value }
}

async function newColumn(planning: Planning, wanting: Wanting): Promise<ColumnPlan> {
  const { column, found } = wanting
  const plan = kept(column, null)
  const filled = planning.emptied ? null : filledWith(planning, wanting)
  if (filled) return { ...plan, otherwise: filled.value }
  if (column.default !== undefined) return { ...plan, otherwise: column.default }
  if (column.nullable || planning.emptied) return plan
  const rows = await countRows(planning, found.name)
  const need = { why: valueless(wanting, rows), which: 'Which value?' }
  return rows === 0 ? plan : { ...plan, otherwise: await replacementOf(planning, wanting, need) }
}
