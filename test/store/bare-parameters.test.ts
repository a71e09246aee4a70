import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api, resource } from '../../src/index.ts'
import { insertEntries } from '../../src/plan/audit.ts'
import { insertPlaced } from '../../src/plan/events.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { insertRow, insertWholeRows } from '../../src/plan/write-statements.ts'
import { bareParameters } from '../../src/store/sqlite/bare-parameters.ts'

test('parameters lose their numbers where they stand in order, each once, and nowhere else', () => {
  expect(bareParameters('SELECT "a" FROM "b" WHERE "c" = ?1 AND "d" = ?2')).toBe(
    'SELECT "a" FROM "b" WHERE "c" = ? AND "d" = ?',
  )
  expect(bareParameters(`SELECT '?2', "?3", 'it''s ?4' WHERE "c" = ?1`)).toBe(
    `SELECT '?2', "?3", 'it''s ?4' WHERE "c" = ?`,
  )
  for (const kept of ['SELECT ?2, ?1', 'SELECT ?1, ?1', 'SELECT ?1, ?3', 'SELECT ?2', 'SELECT 1'])
    expect(bareParameters(kept)).toBe(kept)
})

test('every INSERT of rows has its parameters in order, each once', () => {
  const fields = { name: z.string(), note: z.string().optional() }
  const model = compileApi(
    api('notes', {
      resources: [
        resource('notes', { fields, search: ['name', 'note'] }),
        resource('tags', { fields, shared: true }),
      ],
    }),
  )
  const ofRows = [...model.resources.values()].flatMap((one) => [
    insertRow(one, sqlite),
    insertWholeRows(one, 8, sqlite),
  ])
  for (const { text } of [...ofRows, insertPlaced(sqlite, 8), insertEntries(sqlite, 8)])
    expect(bareParameters(text)).not.toContain('?1')
})
