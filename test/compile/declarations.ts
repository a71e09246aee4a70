import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { type Mistake, Mistakes } from '../../src/compile/mistakes.ts'
import { api } from '../../src/declare/api.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'

/** Options of any shape: these tests write what TypeScript would not let pass. */
type Loose = { readonly [option: string]: unknown }

/** A sound declaration of three resources, with the given options laid over each. */
export const library = (over: {
  api?: Loose
  authors?: Loose
  books?: Loose
  pages?: Loose
  more?: readonly Loose[]
}) => {
  const authors = resource('authors', {
    fields: { name: z.string().max(100), born: z.iso.date().optional() },
    relations: { books: hasMany('books') },
    ...over.authors,
  })
  const books = resource('books', {
    fields: {
      title: z.string().max(200),
      price: z.int().min(0),
      tags: z.array(z.string()).default([]),
      secret: z.string().optional(),
      status: states('draft', { draft: ['printed'] }),
    },
    relations: { author: belongsTo('authors'), leaves: hasMany('book-pages') },
    ...over.books,
  })
  const pages = resource('book-pages', {
    owner: 'book',
    fields: { number: z.int(), words: z.int(), text: z.string() },
    relations: { book: belongsTo('books') },
    ...over.pages,
  })
  const more = (over.more ?? []).map(({ name, ...options }) => resource(name as string, options as never))
  return api('library', { resources: [authors, books, pages, ...more], ...over.api })
}

export const mistakesOf = (declaration: unknown, file?: string): readonly Mistake[] => {
  try {
    compileApi(declaration as never, file === undefined ? {} : { file })
    return []
  } catch (error) {
    if (error instanceof Mistakes) return error.list
    throw error
  }
}

export const linesOf = (declaration: unknown): readonly string[] =>
  mistakesOf(declaration).map(({ where, what, hint }) => `${where}: ${what} ${hint}`)
