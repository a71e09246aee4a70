import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  api,
  belongsTo,
  decimal,
  hasMany,
  needsScope,
  type ResourceDeclaration,
  renameField,
  resource,
  states,
  sum,
  version,
} from '../../src/index.ts'

test('names that TypeScript cannot know are left to the compilation', () => {
  const colours: string[] = ['red', 'blue']
  const anything: z.ZodType = z.int()
  const isLent = Math.random() > 2
  const parts = resource('parts', {
    fields: {
      price: decimal({ scale: 2 }).default('0.00'),
      fee: needsScope('parts:fees', decimal({ scale: 2 }).optional()),
      anything,
    },
    relations: { thing: belongsTo('things') },
  })
  const things = resource('things', {
    fields: {
      colour: z.enum(colours).optional(),
      size: z.enum(['s', 'm']).default('s'),
      price: sum<string>('parts', 'price'),
      fee: needsScope('parts:fees', sum<string>('parts', 'fee')),
      all: sum('parts', 'anything'),
      ...(isLent ? { until: z.iso.date() } : {}),
    },
    relations: {
      parts: hasMany(parts),
      ...(isLent ? { lender: belongsTo('things', { optional: true }) } : {}),
    },
    filter: ['until', 'lender_id', 'size'],
    include: ['parts', 'lender', 'lender.parts'],
    deleteOnlyWhile: { colour: ['red'], size: ['s'] },
  })
  const others: ResourceDeclaration[] = []
  const older = [version('v2', { changes: [renameField('things', 'x', 'gone')] }), version('v1')]
  expectTypeOf(
    api('a', {
      resources: [things, parts],
      scopes: { 'parts:fees': 'See fees.' },
      versions: [version('v3'), ...older],
    }),
  ).toBeObject()
  expectTypeOf(
    api('a', { resources: [...others, things], scopes: { 'parts:fees': 'See fees.' } }),
  ).toBeObject()
})

test('the fields of a target that was given are checked on their line', () => {
  const parts = resource('parts', {
    fields: { name: z.string(), weight: z.int(), state: states('new', { new: ['old'] }) },
    relations: { box: belongsTo('boxes') },
  })
  resource('boxes', {
    fields: {
      // @ts-expect-error a text has no sum
      names: sum('parts', 'name'),
      weight: sum('parts', 'weight'),
    },
    relations: { parts: hasMany(parts) },
    // @ts-expect-error parts have no such relation
    include: ['parts', 'parts.boxes'],
  })
})

test('a filter through relations names fields of targets that were given, on its line', () => {
  const towns = resource('towns', { fields: { name: z.string() } })
  const people = resource('people', {
    nameIsPluralBecause: 'the plural of person',
    fields: { nick: z.string() },
    relations: { town: belongsTo(towns, { optional: true }), notes: hasMany('notes') },
    // What has only a name is checked when it is compiled.
    filter: ['town.name', 'town.created_at'],
  })
  resource('notes', {
    fields: { text: z.string() },
    relations: { writer: belongsTo(people), box: belongsTo('boxes') },
    filter: [
      'text',
      'writer_id',
      'writer.nick',
      'writer.town.name',
      'writer.town_id',
      'box.anything',
      'box.a.b',
    ],
  })
  // @ts-expect-error "nik" is not a field
  resource('notes', { fields: {}, relations: { writer: belongsTo(people) }, filter: ['writer.nik'] })
  // @ts-expect-error "nmae" is not a field
  resource('notes', { fields: {}, relations: { writer: belongsTo(people) }, filter: ['writer.town.nmae'] })
  // @ts-expect-error "notes" leads to many rows
  resource('notes', { fields: {}, relations: { writer: belongsTo(people) }, filter: ['writer.notes.text'] })
  // @ts-expect-error "writter" is not a relation
  resource('notes', { fields: {}, relations: { writer: belongsTo(people) }, filter: ['writter.nick'] })
})
