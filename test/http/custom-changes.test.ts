import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { custom, renameField } from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing } from '../support/serving.ts'

const people = resource('people', {
  nameIsPluralBecause: 'it is the plural of person',
  fields: {
    street: z.string().min(2).max(20),
    city: z.string().max(20),
    district: z.string().max(20).optional(),
    level: z.int().min(0).max(9).default(1),
    remark: z.string().max(20).optional(),
  },
})

const v3 = version('v3', {
  changes: [
    custom('people', {
      fields: { line: z.string().max(60) },
      replaces: ['street', 'city', 'district'],
      up: ({ line }) => {
        const [street, city, district] = String(line).split(', ')
        return { street, city, district }
      },
      down: ({ street, city, district }) => ({
        line: [street, city, district].filter(Boolean).join(', '),
      }),
      samples: [
        { older: { line: 'High St, Leeds' }, newer: { street: 'High St', city: 'Leeds' } },
        {
          older: { line: 'High St, Leeds, North' },
          newer: { street: 'High St', city: 'Leeds', district: 'North' },
        },
      ],
    }),
    custom('people', {
      fields: { grade: z.string().max(20) },
      replaces: ['level'],
      up: ({ grade }) => {
        if (grade === 'throw it') throw new Error('level has no such grade')
        return grade === 'nothing' ? (undefined as never) : { level: String(grade).length }
      },
      down: ({ level }) => ({ grade: 'x'.repeat(Number(level)) }),
      samples: [{ older: { grade: 'xxx' }, newer: { level: 3 } }],
    }),
  ],
})
const v2 = version('v2', { changes: [renameField('people', 'address', 'line')] })
const v1 = version('v1', {
  changes: [
    custom('people', {
      fields: { home: z.object({ text: z.string().max(99) }) },
      replaces: ['address'],
      up: ({ home }) => ({ address: (home as { text: string }).text }),
      down: ({ address }) => ({ home: { text: address } }),
      samples: [{ older: { home: { text: 'High St, Leeds' } }, newer: { address: 'High St, Leeds' } }],
    }),
  ],
})
const declaration = api('made', { resources: [people], versions: [version('v4'), v3, v2, v1] })

/** Lines that the service logs. */
const logged: unknown[] = []

describeServing(
  'what the code of a custom change makes of a request',
  (served) => {
    const refused = async (method: string, path: string, body: object, ...pointers: string[]) => {
      const answer = await served.call(method, path, { body })
      expect(answer.status, answer.text).toBe(422)
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual(pointers)
      expect(answer.text).not.toMatch(/street|city|district|level/)
    }
    const leeds = { line: 'High St, Leeds', grade: 'xx' }

    test('is stored where the newer version could have sent it', async () => {
      const { id } = await served.make('/v3/people', { ...leeds, line: 'High St, Leeds, North' })
      const { data } = await served.get(`/v4/people/${id}`)
      expect(data).toMatchObject({ street: 'High St', city: 'Leeds', district: 'North', level: 2 })
    })

    test.each([
      ['lacks a required value', 'foo'],
      ['is too long', `${'a'.repeat(21)}, Leeds`],
      ['is too short', 'a, Leeds'],
    ])('is refused at the older field where it %s', async (_, line) => {
      await refused('POST', '/v3/people', { ...leeds, line }, '#/line')
      const { id } = await served.make('/v3/people', leeds)
      await refused('PUT', `/v3/people/${id}`, { ...leeds, line }, '#/line')
      await refused('PATCH', `/v3/people/${id}`, { line }, '#/line')
      expect((await served.get(`/v3/people/${id}`)).data).toMatchObject(leeds)
    })

    test('is refused at the name of the version that was called', async () => {
      await refused('POST', '/v2/people', { address: 'foo', grade: 'xx' }, '#/address')
      await refused('POST', '/v1/people', { home: { text: 'foo' }, grade: 'xx' }, '#/home')
      const tooLongForV2 = { text: `High St, ${'a'.repeat(60)}` }
      await refused('POST', '/v1/people', { home: tooLongForV2, grade: 'xx' }, '#/home')
      const { id } = await served.make('/v1/people', { home: { text: 'High St, Leeds' }, grade: 'xx' })
      await refused('PATCH', `/v1/people/${id}`, { home: { text: 'foo' } }, '#/home')
      const { data } = await served.call('PATCH', `/v1/people/${id}`, {
        body: { home: { text: 'Low, Leeds' } },
      })
      expect(data.home).toEqual({ text: 'Low, Leeds' })
    })

    test('is logged when the code throws, with the change, the version and the stack', async () => {
      logged.length = 0
      await refused('POST', '/v2/people', { address: 'High St, Leeds', grade: 'throw it' }, '#/grade')
      await refused('POST', '/v3/people', { ...leeds, grade: 'nothing' }, '#/grade')
      await refused('POST', '/v3/people', { ...leeds, grade: 'ten letters' }, '#/grade')
      expect(logged).toMatchObject([
        {
          message:
            'A write of people in v2 was refused (422): ' +
            `"up" of custom('people', { fields: { grade } }) in the changes of v3 threw`,
          cause: {
            message: 'level has no such grade',
            stack: expect.stringContaining('custom-changes.test.ts'),
          },
        },
        { message: expect.stringContaining('returned no object') },
      ])
    })

    test.each(['throw it', 'nothing', 'ten letters'])(
      'is refused where the code throws, returns nothing or a value out of range: %s',
      (grade) => refused('POST', '/v3/people', { ...leeds, grade }, '#/grade'),
    )

    test('unsets what the code leaves undefined', async () => {
      const { id } = await served.make('/v3/people', { ...leeds, line: 'High St, Leeds, North' })
      const { data } = await served.call('PATCH', `/v3/people/${id}`, { body: { line: 'Low St, Leeds' } })
      expect(data.line).toBe('Low St, Leeds')
      expect((await served.get(`/v4/people/${id}`)).data.district).toBeNull()
    })

    test('keeps its stored values when the fields are sent as they were shown', async () => {
      const odd = { street: 'A, B, C', city: 'Leeds', district: null, level: 2 }
      const { id } = await served.make('/v4/people', odd)
      const shown = (await served.get(`/v3/people/${id}`)).data
      const put = await served.call('PUT', `/v3/people/${id}`, { body: { ...shown, grade: 'xxx' } })
      expect(put.status, put.text).toBe(200)
      const patch = await served.call('PATCH', `/v3/people/${id}`, { body: { grade: 'x', remark: 'new' } })
      expect(patch.status, patch.text).toBe(200)
      expect((await served.get(`/v4/people/${id}`)).data).toMatchObject({ ...odd, level: 1, remark: 'new' })
    })
  },
  { declaration, warn: (_, error) => void logged.push(error) },
)
