import { changedResource, storeEffects } from '../../compile/change-kinds/change-kinds.ts'
import type { ContractField } from '../../compile/contract-format.ts'
import type { View } from '../../compile/model.ts'
import { serverFields } from '../../compile/resources/declared-fields.ts'
import type { Change } from '../../declare/change.ts'
import type { Method } from '../../declare/resource.ts'
import { fieldScope } from '../diff/compare-fields.ts'
import { rowRule } from '../diff/compare-row-rules.ts'
import {
  type Difference,
  type Differences,
  isBreaking,
  isHeldBack,
  type Subject,
} from '../diff/difference.ts'
import { unheldKind } from '../unheld-values.ts'
import { type AdviceLine, type Crossing, codeLine, type Renamed, remarkLine } from './advice-line.ts'
import { followsFromAnother } from './followers.ts'
import { followsFromValues, valuesLine } from './value-lines.ts'
import { inSource, zodFor } from './zod-source.ts'

/**
 * The changes that would declare refused differences, as code to paste into the older version. Where only a person can
 * know a value, the line has `…` in its place; what no change can declare has a remark. Lines use the newer names.
 */
export const linesFor = (refused: Differences, crossing: Crossing): readonly AdviceLine[] => {
  const differences = refused.filter((one) => !isHeldBack(one)).map((one) => inNewerNames(one, crossing))
  const broken = differences.filter(
    (one) =>
      isBreaking(one) &&
      !followsFromAnother(one, differences, refused, crossing) &&
      !followsFromValues(one, differences),
  )
  // A line for a break of a field covers its other differences too.
  const added = differences.filter(
    (one) => !isBreaking(one) && !broken.some(({ where }) => where === one.where),
  )
  const remade = new Set(broken.filter(needsCode).map(({ where }) => where))
  const rest = broken.map((one) =>
    one.part === 'field' && remade.has(one.where) ? customLine(one) : lineFor(one, broken, crossing),
  )
  const lines = [...rest, ...added.map(remarkFor)]
  return [...new Map(lines.map((line) => [line.text, line])).values()]
}

const inNewerNames = (difference: Difference, { declared, newer }: Crossing): Renamed => {
  const older = difference.subject
  const { resource, name, kind } = older
  if (resource === undefined || kind === 'resource added') return { ...difference, older }
  const to = storeEffects(declared, 'table-renamed').find(({ from }) => from === resource)?.to ?? resource
  const subject = { ...older, resource: to }
  if (name === undefined) return { ...difference, older, subject }
  const newerName =
    kind === 'include removed' ? pathIn(newer.views.get(to), name, declared) : nameIn(to, name, declared)
  return { ...difference, older, subject: { ...subject, name: newerName } }
}

const nameIn = (resource: string, name: string, declared: readonly Change[]): string => {
  const changes = declared.filter((change) => changedResource(change) === resource)
  const renames = [...storeEffects(changes, 'column-renamed'), ...storeEffects(changes, 'relation-renamed')]
  return renames.find(({ from }) => from === name)?.to ?? name
}

/** Each step of an include path is a relation of the target of the step before it. */
const pathIn = (view: View | undefined, path: string, declared: readonly Change[]): string => {
  let at = view
  const steps = path.split('.').map((step) => {
    const name = at ? nameIn(at.name, step, declared) : step
    at = at?.relations.get(name)?.target()
    return name
  })
  return steps.join('.')
}

const remarkFor = (difference: Difference): AdviceLine => {
  const { where, what, part, subject } = difference
  const { kind, name } = subject
  const turned = turnedStates(difference)
  if (turned) return remarkLine(where, turned)
  if (kind === 'key added')
    return remarkLine(
      where,
      `${what}; nothing within a JSON value can be hidden: put it into a field of its own beside ${where}`,
    )
  if (kind === unheldKind)
    return remarkLine(where, 'keep its type, and give the newer type a field of its own')
  const instead = part === 'field' && name !== 'id' ? ' or add a new field' : ''
  return remarkLine(where, `${what}; no change can declare this: undo it${instead}`)
}

/** No change can declare that a field became a field of states or stopped being one. One remark covers all differences of it. */
const turnedStates = ({ part, subject: { kind, from, to } }: Difference): string | null => {
  if (part !== 'field' || kind === 'values') return null
  const [before, after] = [from as ContractField | undefined, to as ContractField | undefined]
  if (before?.states && !after) return 'field of states was removed; no change can declare this: keep it'
  if (before?.states && !after?.states)
    return 'is no longer a field of states; no change can declare this: keep it one, with moves from each state to every other, or add a new field'
  if (before && !before.states && after?.states)
    return 'became a field of states; no change can declare this: keep the plain values, or add a new field'
  return null
}

const lineFor = (difference: Renamed, all: readonly Renamed[], { newer }: Crossing): AdviceLine => {
  const { subject, where, what } = difference
  const { kind, resource = '', name = '', from } = subject
  const at = fieldAt(subject)
  if (turnedStates(difference)) return remarkFor(difference)
  if (newer.views.get(resource)?.totals && name !== '' && difference.part !== 'rule')
    return remarkLine(
      where,
      `${what}; keep "${name}" in the totals of ${resource}: no change can take it out. Or declare other totals without it, and take these away with methods: [] and removeMethod('${resource}', 'GET')`,
    )
  switch (kind) {
    case 'field removed':
      return removedLine(difference)
    case 'required field added':
      // Where the target is hidden, the difference does not show that the field is a reference.
      if (newer.views.get(resource)?.field.get(name)?.field?.relation)
        return remarkLine(where, `${what}; make the relation optional`)
      return codeLine('add-required-field', { ...at, whenAbsent: '…' })
    case 'required':
      return requiredLine(difference)
    case 'values':
      return valuesLine(difference, all)
    case 'default':
      return defaultLine(difference)
    case 'include removed':
      return codeLine('remove-include', { resource: at.resource, path: at.field })
    case 'filter removed':
      return codeLine('remove-filter', at)
    case 'sort removed':
      return codeLine('remove-sort', at)
    case 'search removed':
      return codeLine('remove-search', at)
    case 'query parameter removed':
      return difference.older.name === 'count'
        ? codeLine('remove-count', { resource: at.resource })
        : remarkFor(difference)
    case 'bulk removed':
      return codeLine('remove-bulk', { resource: at.resource })
    case 'limit':
      return resource === ''
        ? remarkLine(where, `${what}; raise it again`)
        : codeLine('change-limit', { resource: at.resource, limit: at.field, was: String(from) })
    case 'key required':
      return codeLine('require-idempotency-key', { resource: at.resource })
    case 'scope':
      return codeLine('require-scope', { resource: at.resource, method: at.field, was: inSource(from) })
    case rowRule:
      return codeLine('change-rule', { resource: at.resource, rule: at.field, why: "'…'" })
    case fieldScope:
      return codeLine('change-field-scope', { ...at, why: "'…'" })
    case 'resource removed':
      return remarkLine(
        where,
        `to take it out of the newer version, keep it in resources with methods: [] and all relations as they are, and write removeMethod('${resource}', …) for each method it had`,
      )
    case 'endpoint was removed':
      // Only one of several paths is gone.
      return newer.views.get(resource)?.methods.has(name as Method)
        ? remarkFor(difference)
        : codeLine('remove-method', { resource: at.resource, method: at.field })
    default:
      return remarkFor(difference)
  }
}

const removedLine = ({ subject, where, what }: Difference): AdviceLine => {
  const field = subject.from as ContractField
  if (field.reference)
    return remarkLine(where, `${what}; keep the relation, and take it off the include list`)
  const { nullable } = field.request ?? field.response ?? {}
  const absent = nullable || field.request?.default !== undefined ? {} : { whenAbsent: '…' }
  return codeLine('remove-field', { ...fieldAt(subject), was: zodFor(field), ...absent })
}

const requiredLine = (difference: Difference): AdviceLine => {
  const { subject, where, what } = difference
  const { reference, request } = subject.from as ContractField
  if (reference) return remarkLine(where, `${what}; make the relation optional`)
  if (request?.default !== undefined) return defaultLine(difference)
  return codeLine('make-required', { ...fieldAt(subject), whenAbsent: '…', why: "'…'" })
}

const defaultLine = ({ subject }: Difference): AdviceLine => {
  const { request } = subject.from as ContractField
  return codeLine('change-default', { ...fieldAt(subject), was: inSource(request?.default ?? null) })
}

const fieldAt = ({ resource = '', name = '' }: Subject) => ({
  resource: inSource(resource),
  field: inSource(name),
})

/** Kinds of differences that only a custom change can declare. */
const byCode: ReadonlySet<string> = new Set(['type', 'key added', 'not nullable', 'shown nullable'])

const needsCode = ({ subject: { kind, from, to } }: Difference): boolean => {
  if (byCode.has(kind)) return true
  const [before, after] = [(from as ContractField)?.request, (to as ContractField)?.request]
  // A change can declare a new default or a new nullability, not both.
  if (kind === 'default') return before?.nullable !== after?.nullable
  return kind === 'required' && before?.nullable === true && before.default !== undefined
}

const customLine = (difference: Renamed): AdviceLine => {
  const { resource, name = '', from } = difference.subject
  const field = from as ContractField
  if (field.reference || field.states || turnedStates(difference) || serverFields.has(name))
    return remarkFor(difference)
  return codeLine('custom', {
    resource: inSource(resource),
    fields: `{ ${difference.older.name}: ${zodFor(field)} }`,
    replaces: `[${inSource(name)}]`,
    up: '…',
    down: '…',
    samples: '[…]',
  })
}
