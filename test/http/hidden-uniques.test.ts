import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { addRequiredField, custom } from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing } from '../support/serving.ts'

const books = resource('books', {
  fields: { title: z.string().max(20), slug: z.string().max(20), tier: z.string().max(9) },
  unique: ['slug', ['tier', 'title']],
  hooks: { beforeCreate: ({ tier }) => ({ tier: tier === 'none' ? 'std' : tier }) },
})
const v1 = version('v1', {
  changes: [
    custom('books', {
      fields: { shelf: z.string().max(9), place: z.string().max(9) },
      replaces: ['slug'],
      up: ({ shelf, place }) => ({ slug: `${shelf}-${place}` }),
      down: ({ slug }) => {
        const [shelf, place] = String(slug).split('-')
        return { shelf, place }
      },
      samples: [{ older: { shelf: 'a', place: 'b' }, newer: { slug: 'a-b' } }],
    }),
    addRequiredField('books', 'tier', { whenAbsent: 'none' }),
  ],
})
const declaration = api('hidden', { resources: [books], versions: [version('v2'), v1] })

describeServing(
  'a taken value that an older version',
  (served) => {
    const refused = async (body: object) => {
      const answer = await served.call('POST', '/v1/books', { body })
      expect(answer.status, answer.text).toBe(409)
      expect(answer.refusal).toEqual([409, 'unique-conflict'])
      expect(answer.text).not.toMatch(/slug|tier/)
      return answer
    }

    test('sends as other fields is pointed at there', async () => {
      await served.make('/v1/books', { title: 'Emma', shelf: 'a', place: '1' })
      await served.make('/v1/books', { title: 'Ulysses', shelf: 'a', place: '2' })
      const answer = await refused({ title: 'Dune', shelf: 'a', place: '1' })
      expect(answer.faults).toEqual(['#/shelf', '#/place'])
      expect(answer.problem.detail).toBe(
        'shelf, place must be unique in books. These values together are taken.',
      )
    })

    test('sees only in part is pointed at in that part', async () => {
      await served.make('/v1/books', { title: 'Faust', shelf: 'b', place: '1' })
      expect((await refused({ title: 'Faust', shelf: 'b', place: '2' })).faults).toEqual(['#/title'])
    })
  },
  { declaration },
)
