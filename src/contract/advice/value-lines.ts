import type { ContractField } from '../../compile/contract-format.ts'
import { stateRule } from '../diff/compare-state-rules.ts'
import type { Difference } from '../diff/difference.ts'
import { callSource } from './change-source.ts'
import { keyed, quoted } from './zod-source.ts'

/** One line for all values that were added to a field or removed from it. */
export const valuesLine = ({ where, subject }: Difference, all: readonly Difference[]): string => {
  const at = { resource: quoted(subject.resource), field: quoted(subject.name) }
  const { gone, come } = valuesOf(where, all)
  if (come.length === 1 && gone.length === 1)
    return callSource('map-values', { ...at, values: `{ ${keyed(gone[0] ?? '')}: ${quoted(come[0])} }` })
  const open = (names: readonly string[]) => names.map((one) => `${keyed(one)}: '…'`).join(', ')
  // Where other values are mapped to an unchanged value, the unchanged one must be listed too.
  const { request, response } = subject.to as ContractField
  const stay = ((request ?? response)?.schema.enum ?? []).map(String).filter((one) => !come.includes(one))
  const themselves = stay.map((one) => `, ${keyed(one)}: ${quoted(one)}`).join('')
  const values = gone.length === 0 ? '{}' : `{ ${open(gone)}${themselves} }`
  if (come.length === 0) return callSource('map-values', { ...at, values, why: "'…'" })
  const named = come.map((one) => JSON.stringify(one)).join(', ')
  const remark = `// ${named} ${come.length === 1 ? 'has' : 'have'} no image in the older version`
  const onlyInNewer = `{ ${open(come)} }`
  return `${callSource('map-values', { ...at, values, onlyInNewer, why: "'…'" })} ${remark}`
}

interface Values {
  readonly gone: readonly string[]
  readonly come: readonly string[]
}

const valuesOf = (where: string, all: readonly Difference[]): Values => {
  const values = all
    .filter((one) => one.where === where && one.subject.kind === 'values')
    .map(({ what }) => {
      const end = what.lastIndexOf(' was ')
      return { value: String(JSON.parse(what.slice('value '.length, end))), added: what.endsWith(' added') }
    })
  return {
    gone: values.filter(({ added }) => !added).map(({ value }) => value),
    come: values.filter(({ added }) => added).map(({ value }) => value),
  }
}

/** Whether the difference is about a move or a rule of a removed value: the line for the value covers it. */
export const followsFromValues = (
  { where, what, subject: { kind, from } }: Difference,
  all: readonly Difference[],
): boolean => {
  const { gone } = valuesOf(where, all)
  if (kind === 'initial state') return gone.includes((from as ContractField).states?.initial ?? '')
  if (kind === 'moves') {
    const [, before = '', after = ''] = /^move (.*) → (.*) was removed$/.exec(what) ?? []
    return gone.includes(before) || gone.includes(after)
  }
  // A rule may belong to another resource whose rows refer to this one: `order.status`.
  return (
    kind === stateRule &&
    what.startsWith('rows can no longer be ') &&
    all.some((one) => {
      const field = one.where.slice(one.where.indexOf('.') + 1)
      const named = (value: string) => what.endsWith(`${field} is ${JSON.stringify(value)}`)
      return one.subject.kind === 'values' && valuesOf(one.where, all).gone.some(named)
    })
  )
}
