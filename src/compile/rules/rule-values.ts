import { type FieldKind, kinds } from '../../kinds/kinds.ts'

/** A longer text fits no kind: a caller chooses it, and every comparison would carry it to the store. */
const longestText = 16_384

/**
 * A value of a claim, or a constant of a rule, as the kind is stored; undefined where it does not fit. The text "3" is no integer, and
 * nothing that a store would refuse is a text: zero bytes, halves of surrogate pairs.
 */
export const storedAs = (kind: FieldKind, value: unknown): unknown => {
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return kinds[kind].isStored(value) ? value : undefined
  if (typeof value === 'boolean') return kinds[kind].isStored(value) ? value : undefined
  if (typeof value !== 'string' || value.length > longestText) return undefined
  if (value.includes('\0') || !value.isWellFormed() || !kinds[kind].isStored(value)) return undefined
  return kinds[kind].toStored(value, {})
}

export const areComparable = (one: FieldKind, other: FieldKind): boolean =>
  kinds[one].comparedAs === kinds[other].comparedAs

/** Whether values are texts, as ids, enums and states are too. */
export const isText = (kind: FieldKind): boolean => areComparable(kind, 'string')
