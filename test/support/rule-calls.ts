import fc from 'fast-check'
import { expect } from 'vitest'
import { compareValues } from './list-order.ts'
import type { Oracle } from './rule-oracle.ts'
import {
  includes,
  kindsOfFields,
  type Ruled,
  randomValues,
  toMany,
  toOne,
  type Values,
} from './rule-world.ts'
import type { Answer, CallOptions, Row, RowList } from './serving.ts'

/** One call of a caller. Numbers choose among the rows that are there when it is made. */
export interface RuleCall {
  readonly op:
    | 'one'
    | 'list'
    | 'sub'
    | 'nested'
    | 'create'
    | 'create list'
    | 'create under'
    | 'patch'
    | 'put'
    | 'delete'
  readonly resource: Ruled
  readonly row: number
  readonly others: readonly (number | null)[]
  readonly values: Values
  /** Those of the other rows of a list. */
  readonly more: readonly Values[]
  readonly picked: readonly string[]
  readonly paths: readonly number[]
  readonly sort: string
  readonly filter: string | null
  readonly limit: number
}

const names = Object.keys(kindsOfFields)

export const randomCall: fc.Arbitrary<RuleCall> = fc.record({
  op: fc.constantFrom(
    'one',
    'one',
    'list',
    'list',
    'sub',
    'nested',
    'create',
    'create list',
    'create under',
    'patch',
    'patch',
    'put',
    'delete',
  ),
  resource: fc.constantFrom('shelves', 'boxes', 'items', 'items'),
  row: fc.nat(20),
  others: fc.array(fc.option(fc.nat(20), { freq: 3 }), { minLength: 2, maxLength: 2 }),
  values: randomValues,
  more: fc.array(randomValues, { maxLength: 2 }),
  picked: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
  paths: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
  sort: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names, 'created_at'), fc.boolean()), {
      selector: ([name]) => name,
      maxLength: 2,
    })
    .map((keys) =>
      keys.length === 0 ? 'id' : keys.map(([name, down]) => `${down ? '-' : ''}${name}`).join(','),
    ),
  filter: fc.option(fc.constantFrom(...names), { freq: 2 }),
  limit: fc.integer({ min: 1, max: 4 }),
})

export type Send = (method: string, path: string, options?: CallOptions) => Promise<Answer>

/** Sends the call and compares the answer with what the oracle says. Returns how many answers were compared. */
export async function compareCall(call: RuleCall, oracle: Oracle, send: Send): Promise<number> {
  const { op, resource } = call
  const id = idAt(oracle, resource, call.row)
  const paths = [...new Set(call.paths.flatMap((n) => includes[resource][n] ?? []))]
  const told = (answer: Answer) => `${op} ${resource} ${id}\n${answer.status} ${answer.text}`
  switch (op) {
    case 'one': {
      const answer = await send('GET', `/v1/${resource}/${id}${paths.length > 0 ? `?include=${paths}` : ''}`)
      const row = oracle.seen(resource, id)
      expect(answer.status, told(answer)).toBe(row ? 200 : 404)
      if (row) expect(plainly(answer.data)).toEqual(oracle.shown(resource, row, paths))
      return 1
    }
    case 'list':
      return compareList(`/v1/${resource}`, call, paths, oracle, send)
    case 'sub':
      return compareSub(call, oracle, send)
    case 'nested':
      return compareNested(call, oracle, send)
    case 'create': {
      const row = { ...call.values, ...referencesOf(call, oracle) }
      const answer = await send('POST', `/v1/${resource}`, { body: row })
      expect(oracle.createStatus(resource, row), told(answer)).toContain(answer.status)
      return 1
    }
    case 'create list':
      return compareCreateList(call, oracle, send)
    case 'create under':
      return compareCreateUnder(call, oracle, send)
    case 'patch': {
      const body = { ...pick(call.values, call.picked), ...pick(referencesOf(call, oracle), firstOf(call)) }
      const answer = await send('PATCH', `/v1/${resource}/${id}`, { body })
      const allowed = oracle.updateStatus(resource, id, (row) => ({ ...row, ...body }))
      expect(allowed, told(answer)).toContain(answer.status)
      return 1
    }
    case 'put': {
      const body = { ...call.values, ...referencesOf(call, oracle) }
      const answer = await send('PUT', `/v1/${resource}/${id}`, { body })
      const allowed = oracle.updateStatus(resource, id, () => body)
      expect(allowed, told(answer)).toContain(answer.status)
      return 1
    }
    case 'delete': {
      const answer = await send('DELETE', `/v1/${resource}/${id}`)
      expect(answer.status, told(answer)).toBe(oracle.deleteStatus(resource, id))
      return 1
    }
  }
}

const nobody = '019b8000-0000-7000-8000-000000000000'

/** The id of a row, or now and then one that no row has. */
const idAt = (oracle: Oracle, resource: string, pick: number): string => {
  const rows = oracle.all(resource)
  return rows[pick % (rows.length + 1)]?.id ?? nobody
}

const pick = (values: Values, picked: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => picked.includes(name)))

/** A patch changes at most one reference. */
const firstOf = ({ resource, row }: RuleCall): readonly string[] =>
  row % 2 === 0 ? [`${Object.keys(toOne[resource] ?? {})[0]}_id`] : []

const referencesOf = ({ resource, others }: RuleCall, oracle: Oracle): Values =>
  Object.fromEntries(
    Object.entries(toOne[resource] ?? {}).map(([name, target], at) => {
      const other = others[at] ?? null
      return [`${name}_id`, other === null ? null : idAt(oracle, target, other)]
    }),
  )

/** The `page` of an include says more than whether there is more; the cursor in it is another test's matter. */
const plainly = (row: Row): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value !== 'object' || value === null) return [name, value]
      if (!('page' in value)) return [name, plainly(value as Row)]
      const { data, page } = value as RowList
      expect(page.next !== null).toBe(page.has_more)
      return [name, { data: data.map(plainly), hasMore: page.has_more }]
    }),
  )

/** Walks through all pages. */
async function compareList(
  path: string,
  call: RuleCall,
  paths: readonly string[],
  oracle: Oracle,
  send: Send,
  within: (row: Row) => boolean = () => true,
): Promise<number> {
  const { resource, sort, filter, limit, values } = call
  const wanted = filter === null ? undefined : values[filter]
  const isWanted = (row: Row) => within(row) && (filter === null || compareValues(row[filter], wanted) === 0)
  const expected = oracle.list(resource, sort, isWanted)
  const filtered =
    filter === null
      ? ''
      : `&filter[${filter}]=${wanted === null ? 'null' : encodeURIComponent(String(wanted))}`
  // An empty text cannot be asked for.
  const query = `?sort=${sort}&limit=${limit}${wanted === '' ? '' : filtered}${paths.length > 0 ? `&include=${paths}` : ''}`
  const rows = wanted === '' ? oracle.list(resource, sort, within) : expected
  let seen = 0
  let pages = 0
  let cursor: string | null = null
  do {
    const answer: Answer = await send('GET', `${path}${query}${cursor ? `&cursor=${cursor}` : ''}`)
    expect(answer.status, `${path}${query}\n${answer.text}`).toBe(200)
    const page = rows.slice(seen, seen + limit)
    expect(answer.rows.map(plainly), `${path}${query}`).toEqual(
      page.map((row) => oracle.shown(resource, row, paths)),
    )
    seen += limit
    pages++
    cursor = answer.page.next_cursor
    expect(cursor !== null, `${path}${query} page ${pages}`).toBe(seen < rows.length)
  } while (cursor)
  return pages
}

/** The sub-collection that leads to the resource, and its owner. */
const ownerOf = (resource: Ruled) =>
  Object.entries(toMany).flatMap(([owner, relations]) =>
    Object.entries(relations).flatMap(([segment, [target, by]]) =>
      target === resource ? [{ owner: owner as Ruled, segment, by }] : [],
    ),
  )[0]

async function compareSub(call: RuleCall, oracle: Oracle, send: Send): Promise<number> {
  const owned = ownerOf(call.resource)
  if (!owned) return 0
  const id = idAt(oracle, owned.owner, call.row)
  const path = `/v1/${owned.owner}/${id}/${owned.segment}`
  if (oracle.seen(owned.owner, id))
    return compareList(path, call, [], oracle, send, (row) => row[`${owned.by}_id`] === id)
  expect((await send('GET', path)).status, path).toBe(404)
  return 1
}

async function compareNested(call: RuleCall, oracle: Oracle, send: Send): Promise<number> {
  const owned = ownerOf(call.resource)
  if (!owned) return 0
  const row = oracle.find(call.resource, idAt(oracle, call.resource, call.row))
  const owner = row?.[`${owned.by}_id`] ?? idAt(oracle, owned.owner, call.row)
  const path = `/v1/${owned.owner}/${owner}/${owned.segment}/${row?.id ?? nobody}`
  const isSeen =
    row !== null &&
    row[`${owned.by}_id`] === owner &&
    oracle.seen(owned.owner, owner) &&
    oracle.seen(call.resource, row.id)
  expect((await send('GET', path)).status, path).toBe(isSeen ? 200 : 404)
  return 1
}

async function compareCreateUnder(call: RuleCall, oracle: Oracle, send: Send): Promise<number> {
  const owned = ownerOf(call.resource)
  if (!owned) return 0
  const id = idAt(oracle, owned.owner, call.row)
  const { [`${owned.by}_id`]: _, ...others } = referencesOf(call, oracle)
  const row = { ...call.values, ...others }
  const answer = await send('POST', `/v1/${owned.owner}/${id}/${owned.segment}`, { body: row })
  const allowed = oracle.seen(owned.owner, id)
    ? oracle.createStatus(call.resource, { ...row, [`${owned.by}_id`]: id })
    : [404]
  expect(allowed, `${call.resource} under ${id} ${answer.text}`).toContain(answer.status)
  return 1
}

/** A list is refused for the first row that would be refused alone, but for a reference of any row first. */
async function compareCreateList(call: RuleCall, oracle: Oracle, send: Send): Promise<number> {
  const { resource, others } = call
  const rows = [call.values, ...call.more].map((values, at) => ({
    ...values,
    ...referencesOf({ ...call, others: others.map((other) => other && other + at) }, oracle),
  }))
  const answer = await send('POST', `/v1/${resource}`, { body: { data: rows } })
  const each = rows.map((row) => oracle.createStatus(resource, row))
  const first = each.findIndex((statuses) => statuses.includes(403))
  const allowed = each.find((statuses) => statuses.includes(422)) ?? [first < 0 ? 201 : 403]
  expect(allowed, `list of ${resource} ${answer.text}`).toContain(answer.status)
  if (answer.status !== 403) return 1
  // No row is named where none can be made.
  if (!answer.problem.detail.endsWith('create these rows.'))
    expect(answer.problem.detail).toMatch(new RegExp(`^data/${first}: `))
  return 1
}
