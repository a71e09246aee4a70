import { expect, test } from 'vitest'
import { z } from 'zod'
import library from '../../examples/library/api.ts'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { View } from '../../src/compile/model.ts'
import { api } from '../../src/declare/api.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { Planner } from '../../src/plan/planner.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { readListQuery, readOneQuery } from '../../src/request/read-query.ts'
import { toldAll } from '../support/told-all.ts'

const planner = new Planner(sqlite)
const allScopes = new Set(['*'])

const listOf = (view: View, query: string) =>
  planner.list(
    { version: view.version, view, sub: null, ownerId: null, id: null, unversioned: false, template: '' },
    readListQuery(query, view, 15_000, toldAll).list,
    null,
    allScopes,
  )
const oneOf = (view: View, query: string) =>
  planner.one(
    { version: view.version, view, sub: null, ownerId: null, id: 'x', unversioned: false, template: '' },
    readOneQuery(query, view, 15_000, toldAll).include,
    allScopes,
  )

const viewsOf = (declaration: Parameters<typeof compileApi>[0]): readonly View[] =>
  [...compileApi(declaration).head.views.values()].filter(
    ({ resource, serves }) => !resource.engineMade && serves === 'rows',
  )

test.each([
  ['shop', shop],
  ['library', library],
])('the texts of the %s have bounds, so a page of the usual size is not measured', (_, declaration) => {
  for (const view of viewsOf(declaration)) {
    expect(listOf(view, 'limit=100').measured, view.name).toBeNull()
    for (const include of [...view.includePaths, view.includePaths.join(',')].filter(Boolean)) {
      expect(listOf(view, `include=${include}`).measured, `${view.name} ${include}`).toBeNull()
      expect(oneOf(view, `include=${include}`).measured, `${view.name} ${include}`).toBeNull()
    }
  }
})

test('a text is measured where as many as are shown could be too large', () => {
  const notes = (text: z.ZodString) =>
    viewsOf(
      api('journal', {
        resources: [
          resource('people', { fields: { name: z.string().max(10) } }),
          resource('notes', {
            fields: { text },
            relations: { author: belongsTo('people') },
            include: ['author'],
          }),
        ],
      }),
    ).find(({ name }) => name === 'notes') as View
  const measured = (text: z.ZodString, query: string) => listOf(notes(text), query).measured
  // 100 rows of 20,000 characters of four bytes are exactly the limit.
  expect(measured(z.string().max(20_000), 'limit=100')).toBeNull()
  expect(measured(z.string().max(20_001), 'limit=100')).toEqual([''])
  expect(measured(z.string().max(20_001), 'limit=99')).toBeNull()
  expect(measured(z.string().max(20_000), 'limit=100&include=author')).toEqual(['', 'author'])
  expect(measured(z.string(), 'limit=2')).toEqual([''])
  expect(oneOf(notes(z.string()), '').measured).toBeNull()
  expect(oneOf(notes(z.string()), 'include=author').measured).toEqual(['', 'author'])
})
