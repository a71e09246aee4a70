import type { Field } from '../../compile/model.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { typeName } from '../../kinds/kinds.ts'
import { rewritesOf } from '../../kinds/rewrites.ts'
import { lostValues } from '../decide/loss.ts'
import type { PresentColumn } from '../present.ts'
import type { ColumnShape } from '../record/shape.ts'
import { otherPrefix } from '../rows/other-prefix.ts'
import { countRows, countSet, type Scanned, scanColumn, strayReferences } from '../rows/scan.ts'
import { sameForm } from '../rows/value-of-other-type.ts'
import { type Planning, storedShape } from './planning.ts'
import { filledWith, nameOf, replacementOf, replacementsOf, valueless, type Wanting } from './replacement.ts'
import { type ColumnPlan, keptColumn } from './table-change.ts'

export async function planColumn(planning: Planning, wanting: Wanting): Promise<ColumnPlan> {
  const { column, from, found, field } = wanting
  const present = from === null ? undefined : found.columns.get(from)
  if (from === null || !present) return newColumn(planning, wanting)
  if (field?.name === 'id') await refuseOtherPrefix(planning, wanting)
  if (!field || field.name === 'id') return keptColumn(column, from)
  const before = storedShape(planning, found, from)
  if (!before) {
    planning.refusals.push(`${nameOf(wanting)} has the type ${present.type}, which no kind of field has.`)
    return keptColumn(column, from)
  }
  if (field.sum) return planSum(planning, wanting, from, present, before)
  const isSame = storedAlike(before, field)
  noteColumn(planning, wanting, present, before)
  const scanned = await scan(planning, wanting, from, before, field)
  const unset = present.nullable && !column.nullable ? await countSet(planning, found.name, from, false) : 0
  return {
    ...keptColumn(column, from),
    kindBefore: before.kind,
    values: isSame ? 'kept' : 'recast',
    scanned,
    ...(await replacementsOf(planning, wanting, scanned, unset)),
  }
}

/** Whether values stay as they are stored: in the same form, and rewritten by nothing that is new. */
const storedAlike = ({ kind, schema }: ColumnShape, field: Field): boolean => {
  const before = rewritesOf(schema ?? {})
  return sameForm(kind, field.kind) && rewritesOf(field.schema).every((name) => before.includes(name))
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
  const wasSum = before.sum === true
  noteColumn(planning, wanting, present, before)
  if (wasSum && before.kind === field?.kind && !present.nullable) return keptColumn(column, from)
  const name = nameOf(wanting)
  const rows = wasSum ? 0 : await countSet(planning, found.name, from, true)
  if (!wasSum) planning.notes.push(`${name} is a sum now`)
  if (rows > 0) planning.losses.push(lostValues(`${name} is a sum now`, rows))
  return {
    ...keptColumn(column, from),
    kindBefore: before.kind,
    values: 'recast',
    otherwise: column.default,
  }
}

async function refuseOtherPrefix(planning: Planning, { resource, table, found }: Wanting): Promise<void> {
  const shape = planning.shape?.[found.name]?.id
  if (!shape) return
  const stored = { table: found.name, primaryKey: table.primaryKey, column: 'id', shape }
  const why = await otherPrefix(planning, resource, stored)
  if (why !== null) planning.refusals.push(`${why}.`)
}

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
      `${name} is ${typeName(field.kind, field.schema)} now, and was ${typeName(kind, schema ?? {})}`,
    )
  for (const rewrite of field ? rewritesOf(field.schema) : [])
    if (!rewritesOf(schema ?? {}).includes(rewrite)) notes.push(`${name} is rewritten now (${rewrite})`)
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
  const stored = { table: found.name, primaryKey: table.primaryKey, column: from, shape: before }
  const target = field.relation?.target
  if (target) {
    const now = targetNow(target.table)
    if (before.target !== null && before.target === now) return null
    const unfit = await strayReferences(planning, stored, now === null ? null : { ...target, table: now })
    return { fitting: [], unfit }
  }
  const isSame = storedAlike(before, field)
  if (isSame && before.kind === field.kind && before.schema && sameJson(before.schema, field.schema))
    return null
  return scanColumn(planning, stored, field, !isSame)
}

async function newColumn(planning: Planning, wanting: Wanting): Promise<ColumnPlan> {
  const { column, found } = wanting
  const plan = keptColumn(column, null)
  const filled = filledWith(planning, wanting)
  if (filled) return { ...plan, otherwise: filled.value }
  if (column.default !== undefined) return { ...plan, otherwise: column.default }
  const rows = column.nullable ? 0 : await countRows(planning, found.name)
  if (rows === 0) return plan
  const why = valueless(wanting, rows)
  return { ...plan, otherwise: await replacementOf(planning, wanting, { why, which: 'Which value?' }) }
}
