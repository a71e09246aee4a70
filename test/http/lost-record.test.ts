import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { addRequiredField, api, renameField, resource, version } from '../../src/index.ts'
import { forgetNames } from '../../src/migrate/record/names-record.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores, type StoreUnderTest } from '../support/stores.ts'

const text = z.string().max(20)
const older = api('club', {
  resources: [resource('members', { fields: { full_name: text }, filter: ['full_name'] })],
  versions: [version('v1')],
})
const v2 = version('v2')
/** Something else has the old name. */
const reused = api('club', {
  resources: [resource('members', { fields: { name: text, full_name: text } })],
  versions: [
    v2,
    version('v1', {
      changes: [
        renameField('members', 'full_name', 'name'),
        addRequiredField('members', 'full_name', { whenAbsent: 'none' }),
      ],
    }),
  ],
})

const model = compileApi(older)
const contracts = new Map<string, unknown>([['v1', contractOf(model, model.head)]])
const serveOn = ({ kind }: StoreUnderTest, url: string, declaration: typeof older) =>
  serve(kind, url, { declaration, contracts })
const rowsOf = async (serving: Serving, path: string) =>
  (await serving.get(path)).rows.map(({ id: _, created_at: _c, updated_at: _u, ...row }) => row)

describeStores('a record of names that was lost', (store) => {
  test('is made anew, also where something else has an old name since', async () => {
    const url = await store.url()
    const old = await serveOn(store, url, older)
    await old.make('/v1/members', { full_name: 'Ada' })
    const now = await serveOn(store, url, reused as never)
    await now.make('/v2/members', { name: 'Bob', full_name: 'new' })
    await (await store.open(url)).session((session) => session.script(forgetNames))
    const again = await serveOn(store, url, reused as never)
    const shown = [
      { name: 'Ada', full_name: 'none' },
      { name: 'Bob', full_name: 'new' },
    ]
    for (const one of [now, again]) expect(await rowsOf(one, '/v2/members')).toEqual(shown)
    for (const one of [old, now, again, await serveOn(store, url, older)])
      expect(await rowsOf(one, '/v1/members')).toEqual([{ full_name: 'Ada' }, { full_name: 'Bob' }])
  })
})
