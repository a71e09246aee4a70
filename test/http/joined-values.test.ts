import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api, mapValues, resource, version } from '../../src/index.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const levels = ['basic', 'silver', 'gold'] as const
const older = api('club', {
  resources: [resource('members', { fields: { level: z.enum(levels) }, filter: ['level'] })],
  versions: [version('v1')],
})
const newer = api('club', {
  resources: [resource('members', { fields: { level: z.enum(['plain', 'gold']) }, filter: ['level'] })],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        mapValues('members', 'level', { basic: 'plain', silver: 'gold', gold: 'gold' }, { why: 'fewer' }),
      ],
    }),
  ],
})
const model = compileApi(older)
const contracts = new Map<string, unknown>([['v1', contractOf(model, model.head)]])

describeStores('a declaration that joins two values', (store) => {
  test.each(['silver', null])(
    'is refused before the store is converted, and the older one afterwards (a row: %s)',
    async (level) => {
      const url = await store.url()
      const old = await serve(store.kind, url, { declaration: older, contracts })
      const row = level === null ? null : await old.make('/v1/members', { level })
      const begun = serve(store.kind, url, { declaration: newer, contracts })
      await expect(begun).rejects.toThrow(
        /run `nounkit migrate`.*\n- silver is gold now in members\.level\.$/s,
      )
      // Nothing was changed by that.
      await old.make('/v1/members', { level: 'silver' })
      await migrateStore(await store.open(url), compileApi(newer, { contracts }), { stops: true })
      await old.api.service.lifecycle.beat()
      const refused = await old.call('POST', '/v1/members', { body: { level: 'silver' } })
      expect(refused.refusal).toEqual([503, 'shutting-down'])
      const again = serve(store.kind, url, { declaration: older, contracts })
      await expect(again).rejects.toThrow(
        /migrated past this declaration.*members\.level for v2 was converted/,
      )
      const now = await serve(store.kind, url, { declaration: newer, contracts })
      if (row) expect((await now.get(`/v1/members/${row.id}`)).data).toMatchObject({ level: 'gold' })
      expect((await now.get('/v2/members?filter[level]=gold')).rows).toHaveLength(row ? 2 : 1)
      await now.make('/v1/members', { level: 'silver' })
    },
  )
})
