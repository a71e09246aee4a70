import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { refusalText } from '../../src/contract/gate-refusal.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { api, changeType, resource, version } from '../../src/index.ts'
import { releasesOn } from '../support/releases.ts'
import { describeStores } from '../support/stores.ts'

const things = (at: z.ZodType) => resource('things', { fields: { at } })
const first = (at: z.ZodType) =>
  api('clocks', { resources: [things(at)], versions: [version('v1', { published: '2026-01-01' })] })
/** What was an integer is a time now. */
const next = (was: z.ZodType) =>
  api('clocks', {
    resources: [things(z.iso.datetime())],
    versions: [
      version('v2'),
      version('v1', {
        published: '2026-01-01',
        changes: [
          changeType('things', 'at', { was, codec: 'datetime-as-unix-seconds', why: 'Times are texts.' }),
        ],
      }),
    ],
  })

/** What the gate refuses of the next declaration, where the first one's contract is published. */
const refusedBy = (before: ApiDeclaration, after: ApiDeclaration): string => {
  const model = compileApi(before)
  const contracts = new Map([['v1', contractOf(model, model.head)]])
  return checkContracts(compileApi(after, { contracts }), contracts).refusals.map(refusalText).join('')
}

describeStores('a type that cannot hold what was promised', (store) => {
  test('is refused by the gate, and without it v1 would refuse what it took', async () => {
    const releases = await releasesOn(store, first(z.int()))
    const send = () => releases.serving.call('POST', '/v1/things', { body: { at: 300_000_000_000 } })
    const taken = await send()
    expect(taken.status).toBe(201)
    await releases.serving.call('DELETE', `/v1/things/${taken.data.id}`)
    expect(refusedBy(first(z.int()), next(z.int()))).toContain(
      'breaking  things.at  allows values such as 9007199254740991, which the newer type (datetime) cannot hold: publish the bound first, .min(-62135596800).max(253402300799)',
    )
    await releases.next(next(z.int()))
    expect((await send()).status).toBe(422)
  })

  test('is none where the bound was published first: v1 goes on, with the same document', async () => {
    const bounded = z.int().min(-62_135_596_800).max(253_402_300_799)
    const releases = await releasesOn(store, first(bounded))
    const { id } = await releases.serving.make('/v1/things', { at: 1_780_315_200 })
    const sends = async () => {
      const refused = await releases.serving.call('POST', '/v1/things', { body: { at: 253_402_300_800 } })
      const document = (await releases.serving.get('/v1/openapi.json')).json as Document
      return [refused.problem.errors, document.components.schemas]
    }
    const before = await sends()
    expect(refusedBy(first(bounded), next(bounded))).toBe('')
    await releases.next(next(bounded))
    expect((await releases.serving.get(`/v1/things/${id}`)).data.at).toBe(1_780_315_200)
    for (const at of [-62_135_596_800, 253_402_300_799])
      expect((await releases.serving.make('/v1/things', { at })).at).toBe(at)
    expect(await sends()).toEqual(before)
  })
})

interface Document {
  readonly components: { readonly schemas: unknown }
}
