import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { contractFor, mistakesIn } from '../support/pair.ts'

const title = z.string().max(50)
const both = [version('v2'), version('v1')]

describe('a unique set that an older version cannot see whole', () => {
  const books = (more: object = {}) =>
    resource('books', { fields: { title, slug: z.string().max(20) }, unique: ['slug'], ...more })
  const hidden = change.addRequiredField('books', 'slug', { whenAbsent: 'none' })
  const said = (declared: ReturnType<typeof books>, changed: change.Change = hidden) =>
    mistakesIn([declared], [version('v2'), version('v1', { changes: [changed] })])

  test('is refused where all rows it creates would have the same value', () => {
    expect(said(books())).toEqual([
      'books.unique: v1 cannot send slug, so each row it creates has "none" there, and the second is refused. ' +
        'Make slug optional without a default (what is unset never collides), set it in a beforeCreate hook, ' +
        'or make it from what v1 sends by a custom change.',
    ])
    expect(said(books({ unique: [['title', 'slug']] })).join()).toContain('rows alike in title are refused.')
  })

  test('is refused where the absence of a member came to mean a value', () => {
    const made = change.makeRequired('books', 'slug', { whenAbsent: 'none', why: 'all have one' })
    expect(said(books(), made).join()).toContain('v1 may leave out slug, so each row without it has "none"')
  })

  test('is refused for a hidden default, and fine where a hidden member stays unset', () => {
    const contracts = new Map([['v1', contractFor([resource('books', { fields: { title } })])]])
    const compiled = (unique: string[]) => () => {
      const fields = { title, tier: z.string().default('std'), shelf: z.string().optional() }
      const resources = [resource('books', { fields, unique: [unique] as never })]
      return compileApi(api('pair', { resources, versions: both }), { contracts })
    }
    expect(compiled(['tier', 'title'])).toThrow('v1 cannot send tier, so each row it creates has "std" there')
    expect(compiled(['tier', 'title', 'shelf'])).not.toThrow()
  })

  test('is fine where the version creates nothing, a hook sets it, or code makes it', () => {
    expect(said(books({ methods: ['GET', 'PUT', 'PATCH'] }))).toEqual([])
    expect(said(books({ hooks: { beforeCreate: () => ({ slug: 'made' }) } }))).toEqual([])
    const made = change.custom('books', {
      fields: { path: z.string().max(30) },
      replaces: ['slug'],
      up: ({ path }) => ({ slug: String(path).slice(1) }),
      down: ({ slug }) => ({ path: `/${slug}` }),
      samples: [{ older: { path: '/a' }, newer: { slug: 'a' } }],
    })
    expect(said(books(), made)).toEqual([])
  })
})
