import { equalValues } from '../call/equal-values.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Field, Resource } from '../compile/model.ts'
import { serverFields } from '../compile/resources/declared-fields.ts'
import { type Fault, firstFault } from '../compile/schemas/validate.ts'
import { kinds } from '../kinds/kinds.ts'
import { rewritten } from '../kinds/rewrites.ts'
import { normalizeJson } from '../request/json-body.ts'

/**
 * What a hook sets is held to the schemas of fields, as the body of a request is. A value that does not fit is a mistake of the API's
 * author. Messages name the field and the kind of the value, and not the value, because they are logged.
 */
export interface HookWrite {
  readonly resource: Resource
  /** How deep the JSON of a body may be nested. */
  readonly levels: number
  /** The error for a mistake, with the hook that made it. */
  mistake(what: string): Error
}

/** The values of a new row in the form in which they are stored. The server sets what is left out. */
export function valuesOfNew(write: HookWrite, given: StoredRow): StoredRow {
  const values = fittingValues(write, given)
  demandRequired(write, values)
  return values
}

/** Values to change in a row, in the form in which they are stored. */
export function valuesOfChange(write: HookWrite, id: string, given: StoredRow): StoredRow {
  const { id: named, updated_at: time, ...values } = fittingValues(write, given)
  if (named !== undefined && named !== id) throw isTheServers(write, 'id')
  if (time !== undefined) throw isTheServers(write, 'updated_at')
  return values
}

/** A row around a `before` hook. The hook was given a copy of `asked`, which it may have changed. */
export interface Hooked {
  /** Null for a create. */
  readonly before: StoredRow | null
  readonly asked: StoredRow
  readonly copy: StoredRow
  readonly returned: StoredRow
}

/**
 * The row that a `before` hook leaves. Only what the hook has changed is judged: a stored value may be one that the schema no longer
 * allows.
 */
export function rowAfterHook(write: HookWrite, { before, asked, copy, returned }: Hooked): StoredRow {
  const returnedValues = Object.entries({ ...definedIn(copy), ...definedIn(returned) })
  const changed = returnedValues.filter(([name, value]) => !equalValues(value, asked[name]))
  const values = fittingValues(write, Object.fromEntries(changed))
  if (values.id !== undefined) throw isTheServers(write, 'id')
  if (before && values.updated_at !== undefined) throw isTheServers(write, 'updated_at')
  const row = { ...asked, ...values }
  if (!before) demandRequired(write, row)
  return row
}

const definedIn = (row: StoredRow): StoredRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))

/** Sums are left as they are, because they follow from the rows that they add up. `undefined` sets nothing. */
function fittingValues(write: HookWrite, given: StoredRow): StoredRow {
  const values: { [field: string]: unknown } = {}
  for (const [name, value] of Object.entries(definedIn(given))) {
    const field = write.resource.field.get(name)
    if (field && !field.sum) values[name] = fittingValue(write, field, value)
  }
  return values
}

/** The id is given once, and every change has a time of its own. */
const isTheServers = ({ mistake }: HookWrite, name: 'id' | 'updated_at'): Error =>
  mistake(`"${name}" is set by the server. Leave it out.`)

function demandRequired({ resource, mistake }: HookWrite, values: StoredRow): void {
  const missing = resource.fields.find((field) => isMissing(field, values[field.name]))
  if (missing) throw mistake(`"${missing.name}" is required, and is not set.`)
}

const isMissing = (field: Field, value: unknown): boolean =>
  !field.nullable && (value === null || (value === undefined && !hasServerValue(field)))

const hasServerValue = (field: Field): boolean =>
  serverFields.has(field.name) || field.states !== null || field.default !== undefined

/** A value in the form in which its field stores it. */
export function fittingValue({ levels, mistake }: HookWrite, field: Field, value: unknown): unknown {
  const misfit = (what: string): Error => mistake(`"${field.name}" got ${typeInWords(value)}, and ${what}.`)
  if (value === null) {
    if (field.nullable) return null
    throw misfit('must not be null')
  }
  // A value whose members can be patched can hold what is no JSON, such as a Date.
  const hasMembers = kinds[field.kind].mergesPatches
  const { given, fault } = hasMembers ? asJson(value, levels) : { given: value, fault: null }
  if (fault !== null) throw misfit(fault)
  // A stored number is never -0, as none of a request is.
  const plain = given === 0 ? 0 : rewritten(field.schema, given)
  const first = firstFault(field.schema, plain)
  if (first) throw misfit(faultText(first))
  const stored = kinds[field.kind].toStored(plain, field.schema)
  if (stored === undefined) throw misfit('cannot be stored')
  return stored
}

/** What a value is once it is written as JSON, as a caller would send it: a Date is a text, and members that are undefined are gone. */
function asJson(value: unknown, levels: number): { readonly given: unknown; readonly fault: string | null } {
  try {
    const given: unknown = JSON.parse(JSON.stringify(value))
    // The body that has the value is a level of its own.
    return { given, fault: normalizeJson({ given }, levels) }
  } catch {
    return { given: null, fault: 'cannot be written as JSON' }
  }
}

/** The detail of a fault may have the value, as an example of the right type. The place of a fault may have keys of the value. */
function faultText({ at, detail, code }: Fault): string {
  const text = code === 'type' ? detail.replace(/ such as ".*"$/s, '') : detail
  return at === '' ? text : `within it a value ${text}`
}

/** `a string`, `an array`, `a Date` */
export function typeInWords(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  const name = typeof value === 'object' ? value.constructor?.name : typeof value
  return name === undefined || name === 'Object' ? 'an object' : `a ${name}`
}
