import { isPlainName } from '../call/caller.ts'
import { allGrants } from '../call/grants.ts'
import type { Field, Model, Resource } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { kinds } from '../kinds/kinds.ts'
import { unknownField } from '../request/body.ts'
import { normalizeJson } from '../request/json-body.ts'
import { type ReadRow, type RowFault, wholeRow } from '../write/read-whole-row.ts'
import type { FileRecord } from './records.ts'

/** What a line of an export says besides the fields of its row. No field can have such a name. */
export const marks = { resource: '@resource', account: '@account', version: '@version' } as const

/** What the command says of every row of the file. */
export interface ImportTarget {
  readonly model: Model
  readonly format: 'jsonl' | 'csv'
  /** For rows that name none. */
  readonly resource: Resource | null
  readonly account: string | null
  now(): number
}

/** A row of the file, in the store's terms. */
export interface FileRow extends ReadRow {
  readonly line: number
  readonly bytes: number
  readonly resource: Resource
  /** Empty for a row of a shared resource. */
  readonly account: string
  readonly version: number
}

/** A row of the file, by what others name it with. */
export type NamedRow = Pick<FileRow, 'resource' | 'account'> & { readonly id: string }

/** What is wrong with a column of a CSV file, where all its rows are of one resource. */
export function columnFault({ model, resource }: ImportTarget, name: string): string | null {
  const view = resource && model.head.viewOf.get(resource.name)
  if (!view || isMark(name) || view.resource.field.has(name)) return null
  const { detail } = unknownField(view, name, allGrants)
  const known = detail.includes(';') ? '' : `; it has ${view.fields.map((field) => field.name).join(', ')}`
  return `${name} ${detail}${known}`
}

const allMarks: ReadonlySet<string> = new Set(Object.values(marks))
const isMark = (name: string): boolean => allMarks.has(name)

/** What the command should have accountMark, where the first row lacks it too: every other row would only repeat it. */
export function missingOption(target: ImportTarget, { fault, values }: FileRecord): string | null {
  if (fault !== null) return null
  const resource = resourceOf(target, values[marks.resource])
  if (values[marks.resource] === undefined && typeof resource === 'string') return resource
  const saysNone = typeof resource !== 'string' && accountOf(target, resource, values[marks.account]) === null
  return saysNone && values[marks.account] === undefined ? wrongAccount(target, undefined) : null
}

/** A row of a file, or all that is wrong with it. */
export function readRow(target: ImportTarget, record: FileRecord): FileRow | readonly RowFault[] {
  if (record.fault !== null) return [fault(record.fault)]
  const { values } = record
  const { [marks.resource]: named, [marks.account]: accountMark, [marks.version]: version = 1 } = values
  const resource = resourceOf(target, named)
  if (typeof resource === 'string') return [fault(resource)]
  const account = accountOf(target, resource, accountMark)
  if (account === null) return [fault(wrongAccount(target, accountMark))]
  const number = versionIn(version)
  if (number === null)
    return [{ field: marks.version, detail: `must be a whole number from 0 to ${mostVersion}` }]
  const { line, bytes } = record
  const body = target.format === 'csv' ? fromTexts(resource, values) : values
  const unreadable = target.format === 'csv' ? cellFaults(body, target.model.limits.jsonDepth) : []
  if (unreadable.length > 0) return unreadable
  const read = wholeRow(
    target.model.head.viewOf.get(resource.name) ?? missingView(resource),
    body,
    target.now(),
    isMark,
  )
  if ('row' in read) return { line, bytes, resource, account, version: number, ...read }
  return target.format === 'csv' ? read.map((one) => withJsonForm(one, resource, body)) : read
}

/** The resource, the account and the id that a row says of itself, where it says them, whatever else is wrong with it. */
export function namedRow(target: ImportTarget, { values }: FileRecord): NamedRow | null {
  const resource = resourceOf(target, values[marks.resource])
  if (typeof resource === 'string' || typeof values.id !== 'string') return null
  const account = accountOf(target, resource, values[marks.account])
  return account === null ? null : { resource, account, id: values.id }
}

/** Every change of the row adds one, and numbers are exact up to 2^53: so much is left for changes that it never gets there. */
const mostVersion = 1_000_000_000_000_000

/** The version of a row, which is text in CSV; null for anything else. */
function versionIn(mark: unknown): number | null {
  const number = typeof mark === 'string' && /^\d+$/.test(mark) ? Number(mark) : mark
  return Number.isInteger(number) && Number(number) >= 0 && Number(number) <= mostVersion
    ? Number(number)
    : null
}

const fault = (detail: string): RowFault => ({ field: null, detail })

const missingView = ({ name }: Resource): never => {
  throw new Error(`The newest version does not show ${name}`)
}

function resourceOf({ model, resource }: ImportTarget, named: unknown): Resource | string {
  if (named === undefined)
    return resource ?? `says no resource: add --resource to the command, or "${marks.resource}" to the row`
  if (resource)
    return named === resource.name ? resource : `is a row of ${named}, and --resource is ${resource.name}`
  const found = model.stored.get(String(named))
  if (found && !found.engineMade) return found
  if (model.resources.get(String(named))?.answered)
    return `is a row of ${named}, which is answered by code: the store has no rows of it`
  const counted = model.head.views.get(String(named))?.totals?.of().name
  if (counted !== undefined)
    return `is a row of ${named}, which counts rows of ${counted} and has none of its own`
  const known = [...model.stored.values()].flatMap(({ name, engineMade }) => (engineMade ? [] : [name]))
  return `names a resource "${named}" that does not exist. ${didYouMean(String(named), known)}`
}

function accountOf({ account }: ImportTarget, { shared }: Resource, accountMark: unknown): string | null {
  if (shared) return ''
  if (accountMark === undefined) return account
  return typeof accountMark === 'string' &&
    isPlainName(accountMark) &&
    (account === null || account === accountMark)
    ? accountMark
    : null
}

function wrongAccount({ model, account }: ImportTarget, accountMark: unknown): string {
  if (accountMark === undefined)
    return `says no account: add --account to the command, or "${marks.account}" to the row`
  if (typeof accountMark !== 'string' || !isPlainName(accountMark))
    return `"${marks.account}" is no name of an account`
  return account === model.soleAccount
    ? `is a row of the account ${accountMark}, and the API has one account. Export it with --account, which leaves ${marks.account} out`
    : `is a row of the account ${accountMark}, and --account is ${account}`
}

/** Texts of CSV as values of their fields. A text that is no such value stays, and is refused as a request with it would be. */
function fromTexts(resource: Resource, texts: JsonObject): JsonObject {
  const values: { [name: string]: unknown } = {}
  for (const [name, text] of Object.entries(texts)) {
    const field = resource.field.get(name)
    values[name] = field ? fromText(field, String(text)) : text
  }
  return values
}

/** A cell with text where an object or a list must be: spreadsheets have no form for them, so the mistake says which one is read. */
function withJsonForm(found: RowFault, resource: Resource, body: JsonObject): RowFault {
  const field = resource.field.get(found.field ?? '')
  const form = field && jsonForms[String(field.schema.type)]
  if (!form || typeof body[field.name] !== 'string') return found
  return { ...found, detail: `must be JSON, ${form}` }
}

const jsonForms: { readonly [type: string]: string } = {
  array: 'such as ["a","b"]',
  object: 'such as {"a":"b"}',
}

/** Objects and lists in cells are refused where a body with them would be. The body itself is one level of nesting. */
const cellFaults = (body: JsonObject, maxDepth: number): readonly RowFault[] =>
  Object.entries(body).flatMap(([field, value]) => {
    const detail = normalizeJson(value, maxDepth - 1)
    return detail === null ? [] : [{ field, detail }]
  })

function fromText({ kind, schema }: Field, text: string): unknown {
  const value = kinds[kind].fromOther(text, 'string', schema)
  return value === undefined ? text : value
}
