import { belongsTo } from 'nounkit'
import { z } from 'zod'
import type { ApiOptions } from '../../src/declare/api.ts'
import type { Options, Parts } from './library-first.ts'
import { type Permute, reorderedMembers, reorderedOptions } from './reordered.ts'

/** Options of the whole API that a newer declaration may add. */
export const otherwise: Partial<ApiOptions> = {
  title: 'Told otherwise',
  description: 'Told otherwise.',
  limits: { pageMax: 200, pageDefault: 50, includeRelations: 12, includeDepth: 3, bodyBytes: 2_000_000 },
}

/** The same declaration with every list reversed, with additions everywhere, and with other descriptions. */
export const turned = (parts: Parts): Parts => ({
  visitors: { fields: { name: z.string() } },
  ...Object.fromEntries(Object.entries(reordered(parts)).map(([name, options]) => [name, grown(options)])),
})

const grown = (options: Options): Options => ({
  ...options,
  description: 'Told otherwise.',
  count: options.count ?? true,
  bulk: options.bulk ?? (options.methods as readonly string[] | undefined)?.includes('POST') ?? true,
  limits: { ...((options.limits ?? {}) as Options), countRows: 20_000, bulkRows: 150 },
  fields: {
    shelved_by: z.string().max(80).optional(),
    ...Object.fromEntries(
      Object.entries(options.fields as Options).map(([name, field]) => [name, retold(field)]),
    ),
  },
  relations: {
    visitor: belongsTo('visitors', { optional: true }),
    ...Object.fromEntries(
      Object.entries((options.relations ?? {}) as Options).map(([name, one]) => [
        name,
        { ...(one as object), description: 'Told otherwise.' },
      ]),
    ),
  },
  // A hook could set what an older version does not show, so that a value may be taken there too.
  ...(options.hooks ? {} : { unique: ['shelved_by', ...((options.unique ?? []) as string[])] }),
  filter: ['shelved_by', ...((options.filter ?? []) as string[])],
  sort: ['shelved_by', ...((options.sort ?? []) as string[])],
  include: ['visitor', ...((options.include ?? []) as string[])],
})

const retold = (field: unknown): unknown =>
  field instanceof z.ZodType
    ? field.describe('Told otherwise.')
    : { ...(field as object), description: 'So.' }

/** The same declaration with every list reversed. */
export const reordered = (parts: Parts): Parts =>
  reorderedMembers(parts, fromEnd, (options) => reorderedOptions(options, fromEnd))

const fromEnd: Permute = (list) => list.toReversed()
