import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import type { Deeds } from './desk-client.ts'
import type { SeenEvent } from './event-followers.ts'

interface StoredRow {
  readonly version: number
  /** The values that clients and the server change. */
  readonly values: { readonly [field: string]: unknown }
}

const changing = { orders: ['code', 'note', 'total'], items: ['quantity', 'price'] } as const

/** All rows of the desk, by their ids. */
export async function storedRows(store: Store): Promise<ReadonlyMap<string, StoredRow>> {
  const rows = new Map<string, StoredRow>()
  for (const [table, fields] of Object.entries(changing)) {
    const columns = fields.map((field) => `"${field}"`).join(', ')
    for (const [id, version, ...values] of await store.all(
      `SELECT "id", "version", ${columns} FROM "${table}"`,
      [],
    )) {
      const named = Object.fromEntries(fields.map((field, at) => [field, values[at]]))
      rows.set(String(id), { version: Number(version), values: named })
    }
  }
  return rows
}

/** Every committed change has exactly one event, and nothing else has any. */
export function proveEvents(
  events: readonly SeenEvent[],
  rows: ReadonlyMap<string, StoredRow>,
  deeds: Deeds,
): void {
  const byRow = Map.groupBy(events, ({ resource_id }) => resource_id)
  for (const [id, history] of byRow) proveHistory(history, rows.get(id))
  expect([...rows.keys()].filter((id) => !byRow.has(id))).toEqual([])
  expect([...deeds.created].filter((id) => !byRow.has(id))).toEqual([])
  expect([...deeds.deleted].filter((id) => !byRow.get(id)?.at(-1)?.type.endsWith('.deleted'))).toEqual([])

  const told = events.flatMap(({ resource_id, changed, data }) =>
    (changed ?? []).map((field) => `${resource_id}:${data[field]}`),
  )
  const counts = Map.groupBy(told, (change) => change)
  expect([...deeds.changed].filter((change) => counts.get(change)?.length !== 1)).toEqual([])

  const created = events.filter(({ type }) => type === 'orders.created').map(({ data }) => String(data.code))
  expect(new Set(created).size).toBe(created.length)
  expect([...deeds.keyed].filter((code) => !created.includes(code))).toEqual([])
  expect(events.filter(({ data }) => data.note === 'refused')).toEqual([])
}

/** The events of a row are its whole history: each begins where the one before it ended, and the last one is what the store holds. */
function proveHistory(history: readonly SeenEvent[], row: StoredRow | undefined): void {
  const kinds = history.map(({ type }) => type.replace(/^.*\./, ''))
  const updates = row ? row.version - 1 : history.length - 2
  const expected = ['created', ...Array(updates).fill('updated'), ...(row ? [] : ['deleted'])]
  expect(kinds, JSON.stringify(history)).toEqual(expected)
  for (const [at, { changed, data }] of history.entries()) {
    const before = history[at - 1]?.data
    if (before) expect(differing(before, data)).toEqual(changed ?? [])
  }
  if (row) expect(history.at(-1)?.data).toMatchObject(row.values)
}

const differing = (before: SeenEvent['data'], after: SeenEvent['data']): readonly string[] =>
  Object.keys(after).filter(
    (field) => field !== 'updated_at' && !isDeepStrictEqual(before[field], after[field]),
  )
