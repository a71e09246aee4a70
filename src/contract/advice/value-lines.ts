import type { ContractField } from '../../compile/contract-format.ts'
import type { Difference, Differences } from '../diff/difference.ts'
import { type AdviceLine, codeLine, type Renamed, writtenLine } from './advice-line.ts'
import { callSource } from './change-source.ts'
import { inSource, keyed } from './zod-source.ts'

/** One line for all values that were added to a field or removed from it. */
export const valuesLine = ({ where, subject }: Difference, all: Differences): AdviceLine => {
  const at = { resource: inSource(subject.resource), field: inSource(subject.name) }
  const { gone, come } = valuesOf(where, all)
  if (come.length === 1 && gone.length === 1)
    return codeLine('map-values', { ...at, values: `{ ${keyed(gone[0] ?? '')}: ${inSource(come[0])} }` })
  const open = (names: readonly string[]) => names.map((one) => `${keyed(one)}: '…'`).join(', ')
  // Where other values are mapped to an unchanged value, the unchanged one must be listed too.
  const { request, response } = subject.to as ContractField
  const stay = ((request ?? response)?.schema.enum ?? []).map(String).filter((one) => !come.includes(one))
  const themselves = stay.map((one) => `, ${keyed(one)}: ${inSource(one)}`).join('')
  const values = gone.length === 0 ? '{}' : `{ ${open(gone)}${themselves} }`
  if (come.length === 0) return codeLine('map-values', { ...at, values, why: "'…'" })
  const named = come.map((one) => JSON.stringify(one)).join(', ')
  const remark = `${named} ${come.length === 1 ? 'has' : 'have'} no image in the older version`
  const onlyInNewer = `{ ${open(come)} }`
  return writtenLine(callSource('map-values', { ...at, values, onlyInNewer, why: "'…'" }), remark)
}

/** The values that were removed from the field of this place, and those that were added to it. */
const valuesOf = (where: string, all: Differences) => {
  const values = all.flatMap((one) => (one.where === where && one.facts?.value) || [])
  const those = (is: 'added' | 'removed') => values.filter((one) => one.is === is).map(({ name }) => name)
  return { gone: those('removed'), come: those('added') }
}

/** Whether the difference is about a move or a rule of a removed value: the line for the value covers it. */
export const followsFromValues = (
  { where, subject: { kind, from }, facts }: Difference,
  all: readonly Renamed[],
): boolean => {
  const { gone } = valuesOf(where, all)
  if (kind === 'initial state') return gone.includes((from as ContractField).states?.initial ?? '')
  const { move, lostState } = facts ?? {}
  if (move) return gone.includes(move.from) || gone.includes(move.to)
  if (!lostState) return false
  // A rule may belong to another resource whose rows refer to this one: `order.status`.
  const field = lostState.field.split('.').at(-1)
  return all.some(
    ({ facts: { value } = {}, older }) =>
      value?.is === 'removed' && value.name === lostState.value && older.name === field,
  )
}
