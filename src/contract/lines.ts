import { sameJson } from '../compile/canonical.ts'
import type { ContractField } from '../compile/frozen.ts'
import type { Change } from '../declare/change.ts'
import { type Difference, isBreaking } from './diff/difference.ts'
import { keyed, quoted, zodFor } from './zod-source.ts'

/**
 * The changes that would declare refused differences, as code to paste into the older version. Where only a person can
 * know a value, the line has `…` in its place; what no change can declare has a remark. `declared` are the changes that the
 * older version has already: lines use the newer names.
 */
export const linesFor = (
  refused: readonly Difference[],
  declared: readonly Change[] = [],
): readonly string[] => {
  const differences = refused.map((one) => inNewerNames(one, declared))
  const { lines, told } = renames(differences)
  const broken = differences.filter(
    (one) => isBreaking(one) && !told.has(one) && !followsAnother(one, differences),
  )
  // What declares a break of a field declares the rest of it too.
  const added = differences.filter(
    (one) => !isBreaking(one) && !told.has(one) && !broken.some(({ where }) => where === one.where),
  )
  const remade = new Set(broken.filter(needsCode).map(({ where }) => where))
  const rest = broken.map((one) =>
    one.part === 'field' && remade.has(one.where) ? customLine(one) : lineFor(one, broken),
  )
  return [...new Set([...lines, ...rest, ...added.map(remarkFor)])]
}

/** A difference is found in the older version's names; changes are written in the newer ones. */
const inNewerNames = (difference: Difference, declared: readonly Change[]): Difference => {
  const { resource, name, kind } = difference.subject
  if (resource === undefined || kind === 'resource added') return difference
  const renamed = declared.find((one) => one.kind === 'rename-resource' && one.from === resource)
  const newer = renamed?.kind === 'rename-resource' ? renamed.to : resource
  const thing = declared.find(
    (one) =>
      (one.kind === 'rename-field' || one.kind === 'rename-relation') &&
      one.resource === newer &&
      one.from === name,
  )
  const newerName = thing?.kind === 'rename-field' || thing?.kind === 'rename-relation' ? thing.to : name
  const subject = { ...difference.subject, resource: newer }
  return { ...difference, subject: newerName === undefined ? subject : { ...subject, name: newerName } }
}

/** A query parameter goes with the last filter, sort or include it was for. */
const followsAnother = ({ subject }: Difference, all: readonly Difference[]): boolean =>
  subject.kind === 'query parameter removed' &&
  all.some(
    (one) => one.subject.kind === `${subject.name} removed` && one.subject.resource === subject.resource,
  )

export const isRemark = (line: string): boolean => line.startsWith('//')

const remarkFor = ({ where, what, part, subject: { kind, name } }: Difference): string => {
  if (kind === 'key added')
    return `// ${where}: ${what}; nothing within a JSON value can be hidden: put it into a field of its own beside ${where}`
  const instead = part === 'field' && name !== 'id' ? ' or add a new field' : ''
  return `// ${where}: ${what}; no change can declare this: undo it${instead}`
}

/** A thing gone and one of the same form come, in the same place, were probably renamed. */
const renames = (
  differences: readonly Difference[],
): { readonly lines: readonly string[]; readonly told: ReadonlySet<Difference> } => {
  const told = new Set<Difference>()
  const lines: string[] = []
  const come = (kinds: readonly string[]) => differences.filter((one) => kinds.includes(one.subject.kind))
  for (const gone of differences) {
    const { kind, resource = '', name = '' } = gone.subject
    const match = (
      kinds: readonly string[],
      same: (other: Difference) => boolean,
    ): Difference | undefined => {
      const found = come(kinds).find((other) => !told.has(other) && same(other))
      if (found) told.add(found).add(gone)
      return found
    }
    if (kind === 'field removed') {
      const now = match(
        ['required field added', 'field added'],
        (other) => other.subject.resource === resource && sameForm(gone.subject.from, other.subject.to),
      )
      if (now && !name.endsWith('_id'))
        lines.push(`renameField('${resource}', '${name}', '${now.subject.name}')`)
    } else if (kind === 'relation removed') {
      const now = match(
        ['relation added'],
        (other) => other.subject.resource === resource && sameJson(gone.subject.from, other.subject.to),
      )
      if (now) lines.push(`renameRelation('${resource}', '${name}', '${now.subject.name}')`)
    } else if (kind === 'resource removed') {
      const now = match(['resource added'], (other) => sameFields(gone.subject.from, other.subject.from))
      if (now) lines.push(`renameResource('${resource}', '${now.subject.resource}')`)
    }
  }
  return { lines, told }
}

const sameForm = (from: unknown, to: unknown): boolean => {
  const bare = (field: unknown) => ({ ...(field as ContractField), description: undefined })
  return sameJson(bare(from), bare(to))
}

const sameFields = (from: unknown, to: unknown): boolean => {
  const names = (resource: unknown) =>
    Object.keys((resource as { fields?: object } | undefined)?.fields ?? {})
  return sameJson(names(from).sort(), names(to).sort())
}

const lineFor = (difference: Difference, all: readonly Difference[]): string => {
  const { subject, where, what } = difference
  const { kind, resource = '', name = '', from, to } = subject
  const at = `'${resource}', '${name}'`
  switch (kind) {
    case 'field removed':
      return removedLine(difference)
    case 'required field added':
      if ((to as ContractField).reference) return `// ${where}: ${what}; make the relation optional`
      return `addRequiredField(${at}, { whenAbsent: … })`
    case 'required':
      return requiredLine(difference)
    case 'values':
      return valuesLine(difference, all)
    case 'default':
      return `changeDefault(${at}, { was: ${quoted((from as ContractField).request?.default ?? null)} })`
    case 'include removed':
      return `removeInclude('${resource}', '${name}')`
    case 'filter removed':
      return `removeFilter(${at})`
    case 'sort removed':
      return `removeSort(${at})`
    case 'limit':
      return resource === '' ? `// ${where}: ${what}; raise it again` : `changeLimit(${at}, { was: ${from} })`
    case 'key required':
      return `requireIdempotencyKey('${resource}')`
    case 'scope':
      return `requireScope(${at}, { was: ${quoted(from)} })`
    case 'resource removed':
      return `// ${where}: declare it with methods: [], and removeMethod('${resource}', …) for each method it had`
    case 'endpoint was removed':
      return `removeMethod(${at})`
    default:
      return remarkFor(difference)
  }
}

const removedLine = ({ subject, where, what }: Difference): string => {
  const field = subject.from as ContractField
  if (field.reference) return `// ${where}: ${what}; keep the relation, and take it off the include list`
  const { nullable } = field.request ?? field.response ?? {}
  const absent = nullable || field.request?.default !== undefined ? '' : ', whenAbsent: …'
  return `removeField('${subject.resource}', '${subject.name}', { was: ${zodFor(field)}${absent} })`
}

const requiredLine = ({ subject, where, what }: Difference): string => {
  const { reference, request } = subject.from as ContractField
  const at = `'${subject.resource}', '${subject.name}'`
  if (reference) return `// ${where}: ${what}; make the relation optional`
  if (request?.default !== undefined) return `changeDefault(${at}, { was: ${quoted(request.default)} })`
  return `makeRequired(${at}, { whenAbsent: …, why: '…' })`
}

/** Kinds of differences that no change can declare but one that makes the field by code. */
const byCode: ReadonlySet<string> = new Set(['type', 'key added', 'not nullable', 'shown nullable'])

const needsCode = ({ subject: { kind, from, to } }: Difference): boolean => {
  if (byCode.has(kind)) return true
  const [before, after] = [(from as ContractField)?.request, (to as ContractField)?.request]
  // Its default can be told, or that it may be null, and not both.
  if (kind === 'default') return before?.nullable !== after?.nullable
  return kind === 'required' && before?.nullable === true && before.default !== undefined
}

const customLine = (difference: Difference): string => {
  const { resource, name = '', from } = difference.subject
  const field = from as ContractField
  if (field.reference || field.states || serverFields.has(name)) return remarkFor(difference)
  const older = difference.where.slice(difference.where.indexOf('.') + 1)
  return `custom('${resource}', { fields: { ${older}: ${zodFor(field)} }, replaces: ['${name}'], up: …, down: …, samples: […] })`
}

const serverFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

/** One line for all values of a field that came or went. */
const valuesLine = ({ where, subject }: Difference, all: readonly Difference[]): string => {
  const at = `'${subject.resource}', '${subject.name}'`
  const differences = all.filter((one) => one.where === where && one.subject.kind === 'values')
  const values = differences.map(({ what }) => {
    const end = what.lastIndexOf(' was ')
    return { value: String(JSON.parse(what.slice('value '.length, end))), added: what.endsWith(' added') }
  })
  const come = values.filter(({ added }) => added).map(({ value }) => value)
  const gone = values.filter(({ added }) => !added).map(({ value }) => value)
  if (come.length === 1 && gone.length === 1)
    return `mapValues(${at}, { ${keyed(gone[0] ?? '')}: ${quoted(come[0])} })`
  const open = (names: readonly string[]) => names.map((one) => `${keyed(one)}: '…'`).join(', ')
  // A value that stays reads as itself only where it is named, once others become it too.
  const { request, response } = subject.to as ContractField
  const stay = ((request ?? response)?.schema.enum ?? []).map(String).filter((one) => !come.includes(one))
  const themselves = stay.map((one) => `, ${keyed(one)}: ${quoted(one)}`).join('')
  const older = gone.length === 0 ? '{}' : `{ ${open(gone)}${themselves} }`
  if (come.length === 0) return `mapValues(${at}, ${older}, { why: '…' })`
  const named = come.map((one) => JSON.stringify(one)).join(', ')
  const remark = `// ${named} ${come.length === 1 ? 'has' : 'have'} no image in the older version`
  return `mapValues(${at}, ${older}, { onlyInNewer: { ${open(come)} }, why: '…' }) ${remark}`
}
