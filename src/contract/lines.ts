import { sameJson } from '../compile/canonical.ts'
import type { ContractField } from '../compile/frozen.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import { type Difference, isBreaking } from './diff/difference.ts'

/**
 * The changes that would declare refused differences, as code to paste into the older version. Where only a person can
 * know a value, the line has `…` in its place; what no change can declare has a remark.
 */
export const linesFor = (differences: readonly Difference[]): readonly string[] => {
  const { lines, told } = renames(differences)
  const broken = differences.filter((one) => isBreaking(one) && !told.has(one))
  // What declares a break of a field declares the rest of it too.
  const added = differences.filter(
    (one) => !isBreaking(one) && !told.has(one) && !broken.some(({ where }) => where === one.where),
  )
  return [...new Set([...lines, ...broken.map(lineFor), ...added.map(remarkFor)])]
}

export const isRemark = (line: string): boolean => line.startsWith('//')

const remarkFor = ({ where, what, part, subject: { kind } }: Difference): string => {
  if (kind === 'key added')
    return `// ${where}: ${what}; nothing within a JSON value can be hidden: put it into a field of its own beside ${where}`
  return `// ${where}: ${what}; no change can declare this: undo it${part === 'field' ? ' or add a new field' : ''}`
}

const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)

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

const lineFor = (difference: Difference): string => {
  const { subject, where, what } = difference
  const { kind, resource = '', name = '', from, to } = subject
  const at = `'${resource}', '${name}'`
  switch (kind) {
    case 'field removed':
      if ((from as ContractField).reference)
        return `// ${where}: ${what}; keep the relation, and take it off the include list`
      return `removeField(${at}, { was: ${zodFor(from as ContractField)} })`
    case 'required field added':
      if ((to as ContractField).reference) return `// ${where}: ${what}; make the relation optional`
      return `addRequiredField(${at}, { whenAbsent: … })`
    case 'required':
    case 'not nullable':
      return `makeRequired(${at}, { whenAbsent: …, why: '…' })`
    case 'values':
      return valuesLine(at, what)
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
    case 'type':
    case 'key added':
      return `custom('${resource}', { fields: { ${name}: ${zodFor(from as ContractField)} }, replaces: ['${name}'], up: …, down: …, samples: […] })`
    default:
      return remarkFor(difference)
  }
}

const valuesLine = (at: string, what: string): string => {
  const [, value = '', verb = ''] = /value "(.*)" was (added|removed)/.exec(what) ?? []
  return verb === 'added'
    ? `mapValues(${at}, {}, { onlyInNewer: { ${value}: '…' }, why: '…' }) // "${value}" has no image in the older version`
    : `mapValues(${at}, { ${value}: '…' })`
}

/** The schema as Zod would be written; near enough to start from. */
const zodFor = ({ request, response }: ContractField): string => {
  const { schema = {}, nullable = false } = request ?? response ?? {}
  const fallback = request?.default
  const optional = nullable ? '.optional()' : fallback === undefined ? '' : `.default(${quoted(fallback)})`
  return `${zodOf(schema)}${optional}`
}

const formats: { readonly [format: string]: string } = {
  email: 'z.email()',
  uri: 'z.url()',
  uuid: 'z.uuid()',
  date: 'z.iso.date()',
  'date-time': 'z.iso.datetime()',
}

const zodOf = (schema: JsonSchema): string => {
  if (schema.enum) return `z.enum([${schema.enum.map(quoted).join(', ')}])`
  const bound = (name: string, value: number | undefined) =>
    value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? '' : `.${name}(${value})`
  switch (schema.type) {
    case 'string': {
      const pattern = schema.pattern === undefined ? '' : `.regex(/${schema.pattern}/)`
      const text = formats[schema.format ?? ''] ?? 'z.string()'
      return `${text}${bound('min', schema.minLength)}${bound('max', schema.maxLength)}${pattern}`
    }
    case 'integer':
      return `z.int()${bound('min', schema.minimum)}${bound('max', schema.maximum)}`
    case 'number':
      return `z.number()${bound('min', schema.minimum)}${bound('max', schema.maximum)}`
    case 'boolean':
      return 'z.boolean()'
    default:
      return '…'
  }
}
