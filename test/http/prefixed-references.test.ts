import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, resource } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'

const shelves = resource('shelves', { idPrefix: 'shf_', fields: { room: z.string().max(50) } })
const books = resource('books', {
  fields: { code: z.string().regex(/^[a-z]_\d+$/) },
  relations: { shelf: belongsTo(shelves) },
})

describeServing(
  'a reference to rows whose ids have a prefix',
  (served) => {
    test.each(['x', '01980000-0000-7000-8000-000000000042', 'bok_01980000-0000-7000-8000-000000000042'])(
      'is refused with an id to compare: %s',
      async (shelf_id) => {
        const answer = await served.call('POST', '/v1/books', { body: { shelf_id, code: 'a-1' } })
        expect(answer.refusal).toEqual([422, 'validation-failed'])
        expect(answer.problem.errors).toEqual([
          {
            pointer: '#/shelf_id',
            detail: 'must be an id such as "shf_01980000-0000-7000-8000-000000000042"',
            code: 'pattern',
          },
          { pointer: '#/code', detail: 'must match ^[a-z]_\\d+$', code: 'pattern' },
        ])
      },
    )
  },
  { declaration: api('library', { resources: [shelves, books] }) },
)
