import type { Field, Model, Resource } from '../../src/compile/model.ts'

export interface SecretRow {
  readonly resource: string
  readonly values: { readonly id: string; readonly [field: string]: unknown }
}

/** Rows of every resource in an order that satisfies references. No two rows share a text, a number, a day or a time. */
export function secretRows(model: Model, perResource: number): readonly SecretRow[] {
  const rows: SecretRow[] = []
  for (const [place, resource] of inOrderOfReference([...model.resources.values()]).entries())
    for (let n = 0; n < perResource; n++) rows.push(secretRow(resource, place * perResource + n, n, rows))
  return rows
}

/** Values by which a row would be recognized in an answer: its id and every value that no other row has. */
export const secretsOf = ({ resource, values }: SecretRow, model: Model): readonly string[] => {
  const fields = model.resources.get(resource)?.fields ?? []
  const own = fields.filter(({ kind, relation }) => !relation && !['boolean', 'enum', 'state'].includes(kind))
  return own.map(({ name }) => values[name]).flatMap((value) => (value == null ? [] : [String(value)]))
}

/** An id of a row: a UUIDv7 whose last digits are the row's number. */
export const secretId = (serial: number): string => {
  const stamp = (start + serial * hour).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7abc-8def-${String(900_000_000_000 + serial)}`
}

const start = Date.UTC(2026, 3, 1)
/** So that no value of a field is a part of the times that rows were made at. */
const later = Date.UTC(2040, 0, 1)
const hour = 3_600_000

function inOrderOfReference(resources: readonly Resource[]): readonly Resource[] {
  const ordered = new Set<Resource>()
  const add = (resource: Resource): void => {
    for (const { target } of resource.belongsTo) if (target !== resource && !ordered.has(target)) add(target)
    ordered.add(resource)
  }
  resources.forEach(add)
  return [...ordered]
}

/** References spread unevenly over their targets, so that rows that belong together differ from relation to relation. */
function secretRow(resource: Resource, serial: number, n: number, earlier: readonly SecretRow[]): SecretRow {
  const at = new Date(start + serial * hour).toISOString()
  const values: { [field: string]: unknown } = { id: secretId(serial) }
  for (const [place, field] of resource.fields.entries()) {
    if (['id', 'created_at', 'updated_at'].includes(field.name)) continue
    values[field.name] = field.relation
      ? referenceTo(earlier, field.relation.target.name, n * (place + 2) + place)
      : field.nullable && n % 3 === 2
        ? null
        : secretValue(field, serial * 10 + place, n)
  }
  return {
    resource: resource.name,
    values: { ...values, id: secretId(serial), created_at: at, updated_at: at },
  }
}

const referenceTo = (rows: readonly SecretRow[], resource: string, pick: number): string | null => {
  const targets = rows.filter((row) => row.resource === resource)
  return targets[pick % targets.length]?.values.id ?? null
}

function secretValue({ kind, schema, states }: Field, serial: number, n: number): unknown {
  const listed = states ? [states.initial, ...Object.keys(states.moves)] : schema.enum
  if (listed) return listed[n % listed.length]
  switch (kind) {
    case 'boolean':
      return n % 2 === 0
    case 'integer':
      return 700_000 + serial
    case 'date':
      return new Date(later + serial * 24 * hour).toISOString().slice(0, 10)
    case 'datetime':
      return new Date(later + serial * 24 * hour).toISOString()
    default:
      return secretText(schema.format, serial, schema.minLength ?? 0, schema.maxLength ?? 20)
  }
}

const secretText = (format: string | undefined, serial: number, least: number, most: number): string => {
  const text = `secret${String(serial).padStart(5, '0')}`
  if (format === 'email') return `${text}@hidden.example`
  return text.padEnd(least, 'x').slice(0, most)
}
