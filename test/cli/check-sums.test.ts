import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
import { runHere } from './in-process.ts'

const folder = declarationFolder(`
  import { api, belongsTo, decimal, hasMany, resource, sum } from 'nounkit'
  import { z } from 'zod'
  const carts = resource('carts', {
    fields: { total: sum<string>('lines', ['price', 'pieces']), pieces: sum('lines', 'pieces') },
    relations: { lines: hasMany('lines') },
  })
  const lines = resource('lines', {
    fields: { price: decimal({ scale: 2 }), pieces: z.int() },
    relations: { cart: belongsTo('carts') },
  })
  export default api('carts', { resources: [carts, lines], events: { keepDays: 1 } })
`)

const check = (url: string, ...flags: readonly string[]) =>
  runHere(['check', '.', '--sums', ...flags], { cwd: folder, env: { DATABASE_URL: url } })

const allRight =
  'api.ts: 2 resources, version v1. No mistakes, no broken promises.\nEvery sum is what its rows give.\n'

/** As by hand in the database. */
const spoil = (served: Serving, id: string, column: string, value: string) =>
  served.store.session((session) =>
    session.script(`UPDATE "carts" SET "${column}" = ${value} WHERE "id" = '${id}'`),
  )

describeStores('check --sums', (store) => {
  test('lists the sums of all accounts that differ from what their rows give, and corrects them with --fix', async () => {
    const { default: declaration } = (await import(join(folder, 'api.ts'))) as { default: ApiDeclaration }
    const url = await store.url()
    const served = await serve(store.kind, url, { declaration })
    const cart = async (as: string) => {
      const { id } = await served.make('/v1/carts', {}, { as })
      await served.make('/v1/lines', { cart_id: id, price: '1.50', pieces: 3 }, { as })
      await served.make('/v1/lines', { cart_id: id, price: '-0.25', pieces: 2 }, { as })
      return id
    }
    const [acme, other] = [await cart('acme'), await cart('other')]
    expect(await check(url)).toEqual({ code: 0, stdout: allRight, stderr: '' })

    const millionths = store.kind === 'sqlite' ? '7000000' : '7'
    await spoil(served, acme, 'total', millionths)
    await spoil(served, acme, 'pieces', '6')
    await spoil(served, other, 'pieces', '-1')
    const found = await check(url)
    expect(found.code).toBe(1)
    expect(found.stderr).toBe(
      [
        `carts.total of ${acme} of account acme is "7.00", and its rows give "4.00"`,
        `carts.pieces of ${acme} of account acme is 6, and its rows give 5`,
        `carts.pieces of ${other} of account other is -1, and its rows give 5`,
        '\n3 sums not as the rows give. Correct them: nounkit check --sums --fix\n',
      ].join('\n'),
    )
    const { code, stdout } = await check(url, '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        ok: false,
        resources: 2,
        mistakes: [],
        sums: {
          wrong: [
            { resource: 'carts', field: 'total', account: 'acme', id: acme, stored: '7.00', counted: '4.00' },
            { resource: 'carts', field: 'pieces', account: 'acme', id: acme, stored: 6, counted: 5 },
            { resource: 'carts', field: 'pieces', account: 'other', id: other, stored: -1, counted: 5 },
          ],
          wrongCount: 3,
          corrected: 0,
        },
      },
    ])
    const fixed = await check(url, '--fix')
    expect(fixed).toEqual({
      code: 0,
      stdout: allRight.replace('Every', '3 sums corrected.\nEvery'),
      stderr: '',
    })
    expect((await served.get(`/v1/carts/${acme}`)).data).toMatchObject({ total: '4.00', pieces: 5 })
    // The correction is a change of the row, told once.
    const events = (await served.get(`/v1/events?limit=100&filter[resource_id]=${acme}`)).rows
    expect(events.at(-1)).toMatchObject({ type: 'carts.updated' })
    expect(events).toHaveLength(4)
    expect(JSON.parse((await check(url, '--json')).stdout)).toMatchObject({
      ok: true,
      sums: { wrong: [], wrongCount: 0, corrected: 0 },
    })
  })

  test('leaves the sums of a row as they are where one would be too large to be kept, and says so', async () => {
    const { default: declaration } = (await import(join(folder, 'api.ts'))) as { default: ApiDeclaration }
    const url = await store.url()
    const served = await serve(store.kind, url, { declaration })
    const { id } = await served.make('/v1/carts', {})
    await served.make('/v1/lines', { cart_id: id, price: '999999999999.00', pieces: 1 })
    await served.store.session((session) => session.script('UPDATE "lines" SET "pieces" = 2'))
    const { code, stderr } = await check(url, '--fix')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /total of .* is "999999999999\.00", and its rows give "1999999999998\.00"\ncarts\.pieces .* give 2\n\n2 sums not as the rows give\. A sum that is too large/,
    )
    expect((await served.get(`/v1/carts/${id}`)).data).toMatchObject({ total: '999999999999.00', pieces: 1 })
  })

  test('refuses a store that is not there', async () => {
    const url = await store.url()
    const { code, stderr } = await check(url)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^There is no store yet: /)])
  })
})

test('check --fix without --sums is refused', async () => {
  const { code, stderr } = await runHere(['check', '.', '--fix'], { cwd: folder })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^--fix corrects sums: write nounkit check --sums --fix\n/),
  ])
})

test('check without --sums opens no store, and says so to machines', async () => {
  const { code, stdout } = await runHere(['check', '.', '--json'], { cwd: folder })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, sums: null }])
})
