import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { ClientOf } from '../../src/client/client-types.ts'
import type { ShapeOf } from '../../src/client/shape-of.ts'
import { api, belongsTo, hasMany, resource } from '../../src/index.ts'

const tags = resource('tags', { fields: { name: z.string() }, filter: ['name'] })
const notes = resource('notes', {
  fields: {},
  relations: { tags: hasMany(tags, { through: 'taggings' }), taggings: hasMany('taggings') },
  include: ['tags'],
})
const taggings = resource('taggings', {
  fields: {},
  relations: { note: belongsTo(notes), tag: belongsTo(tags) },
})
const declared = api('notes', { resources: [tags, notes, taggings] })
type Below = ReturnType<ClientOf<ShapeOf<typeof declared>>['notes']['at']>

test('a client reads what a join links, and writes the join', () => {
  expectTypeOf<keyof Below['tags']>().toEqualTypeOf<'list' | 'get' | 'find'>()
  expectTypeOf<Below['taggings']>().toHaveProperty('create')
  const read = async (client: ClientOf<ShapeOf<typeof declared>>) => {
    const page = await client.notes.at('id').tags.list({ filter: { name: 'x' } })
    expectTypeOf(page.data[0]?.name).toEqualTypeOf<string | undefined>()
    const { tags: included } = await client.notes.get('id', { include: ['tags'] })
    expectTypeOf(included.data[0]?.name).toEqualTypeOf<string | undefined>()
    expectTypeOf(included.page.next).toEqualTypeOf<string | null>()
  }
  expectTypeOf(read).toBeFunction()
})

test('api(…) knows whether there is such a join', () => {
  const others = resource('notes', {
    fields: {},
    relations: { tags: hasMany(tags, { through: 'tagings' }) },
  })
  // @ts-expect-error: there is no resource 'tagings'
  api('notes', { resources: [tags, others, taggings] })
})
