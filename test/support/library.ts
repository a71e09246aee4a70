import { api, belongsTo, hasMany, removeField, renameField, renameResource, resource, version } from 'nounkit'
import { z } from 'zod'
import type { Clock } from '../../src/clock.ts'
import { openService, type Service } from '../../src/serve/service.ts'
import { whenOver } from './clean-up.ts'

/** Three versions, of which two are deprecated; `leaflets` can be read by anyone. */
const writers = resource('writers', {
  fields: { name: z.string().max(100) },
  relations: { books: hasMany('books') },
  filter: ['name'],
  sort: ['name'],
  include: ['books'],
})
const books = resource('books', {
  fields: { title: z.string().max(100) },
  relations: { writer: belongsTo('writers') },
  filter: ['title'],
  sort: ['title'],
  include: ['writer'],
})
const leaflets = resource('leaflets', {
  shared: true,
  fields: { topic: z.string().max(100) },
  scopes: { read: 'public' },
})

export const library = api('library', {
  resources: [writers, books, leaflets],
  versions: [
    version('v3', { published: '2025-06-01' }),
    version('v2', {
      published: '2024-06-01',
      deprecated: '2025-06-01',
      sunset: '2026-03-31',
      changes: [renameResource('authors', 'writers', { why: 'One word for both.' })],
    }),
    version('v1', {
      published: '2024-01-01',
      deprecated: '2024-06-01',
      sunset: '2025-12-31',
      changes: [
        renameField('authors', 'full_name', 'name'),
        removeField('books', 'shelf', { was: z.string().max(20).optional() }),
      ],
    }),
  ],
})

/** A process that serves the library. By default the test itself triggers its heartbeats. */
export async function openLibrary(
  databaseUrl: string,
  clock: Clock,
  beatMs: number | null = null,
): Promise<Service> {
  const service = await openService({ declaration: library, databaseUrl, clock, rate: 'off', beatMs })
  whenOver(() => service.close())
  return service
}
