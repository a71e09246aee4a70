import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { api } from '../../src/declare/api.ts'
import type { Change } from '../../src/declare/change.ts'
import type { FieldDeclarations } from '../../src/declare/field.ts'
import { belongsTo, type RelationDeclarations } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'

export interface BooksOptions {
  readonly fields?: FieldDeclarations
  /** Fields of `baseFields` to leave out. */
  readonly without?: readonly string[]
  readonly relations?: RelationDeclarations
  readonly unique?: readonly string[]
  readonly sort?: readonly string[]
  readonly filter?: readonly string[]
  /** What an older version, v1, differs in. */
  readonly changes?: readonly Change[]
  readonly publishers?: boolean
  /** Fields of authors instead of a name. */
  readonly authors?: FieldDeclarations
}

const baseFields = { title: z.string().max(200), genre: z.enum(['novel', 'poetry']) }

/** Two resources, books and authors, with whatever a test adds to books. */
export function booksModel(options: BooksOptions = {}): Model {
  const { fields = {}, without = [], relations = {}, changes } = options
  const kept = Object.entries({ ...baseFields, ...fields }).filter(([name]) => !without.includes(name))
  const authors = resource('authors', { fields: options.authors ?? { name: z.string().max(100) } })
  const books = resource('books', {
    fields: Object.fromEntries(kept) as FieldDeclarations,
    relations: { author: belongsTo('authors', { onTargetDelete: 'cascade' }), ...relations },
    unique: options.unique ?? [],
    sort: options.sort ?? [],
    filter: options.filter ?? [],
  })
  const publishers = resource('publishers', { fields: { name: z.string().max(100) } })
  const versions = changes
    ? [
        version('v2', { published: '2026-01-01' }),
        version('v1', { published: '2025-01-01', deprecated: '2026-01-01', sunset: '2027-01-01', changes }),
      ]
    : [version('v1')]
  const resources = [authors, books, ...(options.publishers ? [publishers] : [])]
  return compileApi(api('library', { resources, versions }))
}
