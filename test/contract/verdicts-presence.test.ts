import { expect, test } from 'vitest'
import { z } from 'zod'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { resource } from '../../src/declare/resource.ts'
import { contractFor } from '../support/pair.ts'
import {
  both,
  contract,
  edited,
  fields,
  judged,
  type Row,
  sent,
  shown,
  testRows,
  things,
  withField,
} from './verdict-rows.ts'

const additions: Row[] = [
  ...both(
    'endpoint added',
    'endpoint removed',
    contract({ methods: ['GET'] }),
    contract({ methods: ['GET', 'PUT'] }),
    'endpoint was added',
    'endpoint was removed',
  ),
  ...both(
    'resource added',
    'resource removed',
    contractFor([things({ relations: {} })] as never),
    contractFor([things({ relations: {} }), resource('others', { fields })]),
    'endpoints were added',
    'removed, renamed or re-rooted',
  ),
  ...both(
    'optional request field added',
    'request field removed',
    contract(),
    sent(z.string().optional()),
    'optional field was added',
    'field was removed',
  ),
  ...both(
    'response field added',
    'response field removed',
    contract(),
    shown(z.int().default(1)),
    'response field was added',
    'field was removed',
  ),
  ...both(
    'query parameter added',
    'query parameter removed',
    contract(),
    contract({ filter: ['name'] }),
    'query parameter filter was added',
    'query parameter filter was removed',
  ),
  ...both(
    'filter added',
    'filter removed',
    contract({ filter: ['name'] }),
    contract({ filter: ['name', 'note'] }),
    'filter note was added',
    'filter note was removed',
  ),
  ...both(
    'sort added',
    'sort removed',
    contract(),
    contract({ sort: ['name'] }),
    'sort name was added',
    'sort name was removed',
  ),
  ...both(
    'include relation added',
    'include relation removed',
    contract(),
    contract({ include: ['makers'] }),
    'include makers was added',
    'include makers was removed',
  ),
  ...both(
    'relation added',
    'relation removed',
    contract({ relations: {} }),
    contract(),
    'relation was added',
    'relation was removed',
  ),
  ...both(
    'response header added',
    'response header removed',
    edited(['service', 'headers'], ['RateLimit']),
    contract(),
    'response header RateLimit-Policy was added',
    'response header RateLimit-Policy was removed',
  ),
  ...both(
    'media type added',
    'media type removed',
    edited(['service', 'request_media_types', 'PATCH'], ['application/json']),
    contract(),
    'merge-patch+json was added',
    'merge-patch+json was removed',
  ),
  ...both(
    'filter operator added',
    'filter operator removed',
    edited(['resources', 'things', 'filters'], { name: ['eq'] }),
    edited(['resources', 'things', 'filters'], { name: ['eq', 'ne'] }),
    'filter operator ne was added',
    'filter operator ne was removed',
  ),
]

const names: Row[] = [
  [
    'resource renamed',
    contract(),
    contractFor([resource('items', { fields })]),
    'B',
    'removed, renamed or re-rooted',
  ],
  [
    'field renamed',
    contract(),
    contract({ fields: { title: fields.name, note: fields.note } }),
    'B',
    'field was removed',
  ],
  ['identifier format changed', contract(), contract({ idPrefix: 'th_' }), 'B', 'format uuid became none'],
  [
    'reference leads elsewhere',
    edited(['resources', 'makers', 'fields', 'thing_id', 'reference'], 'others'),
    contract(),
    'B',
    'names a row of things in place of others',
  ],
]

const requirements: Row[] = [
  ['required request field added', contract(), sent(z.string()), 'B', 'required request field was added'],
  ...both(
    'required → optional in a request',
    'optional → required',
    sent(z.string()),
    sent(z.string().optional()),
    'became optional in requests',
    'became required',
  ),
  [
    'response field became optional or nullable',
    shown(z.int().default(1)),
    shown(z.int().optional()),
    'B',
    'became nullable in responses',
  ],
  [
    'response field became never null',
    shown(z.int().optional()),
    shown(z.int().default(1)),
    'A',
    'never null in responses',
  ],
  ...both(
    'request became nullable',
    'request became not nullable',
    sent(z.string()),
    sent(z.string().nullable()),
    'may be null in requests',
    'may no longer be null in requests',
  ),
]

testRows('what is there', additions)
testRows('names', names)
testRows('requirements', requirements)

test('a contract does not differ from itself, nor from the same said in another order', () => {
  expect(compareContracts(contract(), contract())).toEqual([])
  const turned = contract({ fields: { note: fields.note, name: fields.name } })
  expect(compareContracts(contract(), turned)).toEqual([])
})

test('what a field is sent as and shown as is judged both ways, and breaking wins', () => {
  const found = judged(withField(z.string().max(5)), withField(z.string().max(6)))
  expect(found).toMatchObject({ verdict: 'B', count: 1 })
})
