import type { Change } from '../../declare/change.ts'
import { isZod } from '../../declare/field.ts'
import { builderOf } from '../changes/report.ts'
import type { MistakeList } from '../mistakes.ts'
import {
  code,
  either,
  listOf,
  mapOf,
  nothing,
  number,
  type OptionTable,
  object,
  optionsOf,
  type Shape,
  scalar,
  soundOptions,
  text,
} from './shapes.ts'

const schema: Shape = { said: 'a Zod schema, such as z.string()', holds: isZod }
const resource = text
const field = text
const method = text
const why = text

const tables: { readonly [K in Change['kind']]: OptionTable } = {
  'rename-resource': {
    form: "renameResource('old-names', 'new-names')",
    needs: { from: text, to: text },
    may: { why },
  },
  'rename-field': {
    form: "renameField('books', 'old_name', 'new_name')",
    needs: { resource, from: text, to: text },
    may: { why },
  },
  'rename-relation': {
    form: "renameRelation('books', 'old_name', 'new_name')",
    needs: { resource, from: text, to: text },
    may: { why },
  },
  'map-values': {
    form: "mapValues('books', 'status', { old_value: 'new_value' })",
    needs: { resource, field, values: mapOf(text), onlyInNewer: mapOf(text) },
    may: { why },
  },
  'change-type': {
    form: "changeType('books', 'price', { was: z.string(), codec: 'integer-as-string' })",
    needs: { resource, field, was: schema, codec: text },
    may: { why },
  },
  'remove-field': {
    form: "removeField('books', 'isbn', { was: z.string() })",
    needs: { resource, field, was: schema },
    may: { whenAbsent: scalar, why },
  },
  'add-required-field': {
    form: "addRequiredField('books', 'language', { whenAbsent: 'en' })",
    needs: { resource, field, whenAbsent: scalar },
    may: { why },
  },
  'make-required': {
    form: "makeRequired('books', 'language', { whenAbsent: 'en', why: '…' })",
    needs: { resource, field, whenAbsent: scalar },
    may: { why },
  },
  'remove-include': {
    form: "removeInclude('books', 'author')",
    needs: { resource, path: text },
    may: { why },
  },
  'remove-filter': { form: "removeFilter('books', 'isbn')", needs: { resource, field }, may: { why } },
  'remove-sort': { form: "removeSort('books', 'isbn')", needs: { resource, field }, may: { why } },
  'change-limit': {
    form: "changeLimit('books', 'pageMax', { was: 100 })",
    needs: { resource, limit: text, was: number },
    may: { why },
  },
  'require-idempotency-key': {
    form: "requireIdempotencyKey('books')",
    needs: { resource },
    may: { why },
  },
  'require-scope': {
    form: "requireScope('books', 'POST', { was: 'authenticated' })",
    needs: { resource, method, was: text },
    may: { why },
  },
  'remove-method': { form: "removeMethod('books', 'DELETE')", needs: { resource, method }, may: { why } },
  'change-default': {
    form: "changeDefault('books', 'language', { was: 'en' })",
    needs: { resource, field, was: either(scalar, nothing) },
    may: { why },
  },
  custom: {
    form: "custom('books', { fields, replaces, up, down, samples })",
    needs: {
      resource,
      fields: mapOf(schema),
      replaces: listOf(text),
      up: code,
      down: code,
      samples: listOf(optionsOf({ needs: { older: object, newer: object } })),
    },
    may: { why },
  },
}

/** The changes of a version that are what they say; the others are told. */
export const soundChanges = (
  declared: readonly unknown[],
  version: string,
  mistakes: MistakeList,
): readonly Change[] =>
  Array.from(declared, (change, index) =>
    soundChange(change, `${version}.changes[${index}]`, mistakes),
  ).filter((change) => change !== undefined)

const soundChange = (declared: unknown, where: string, mistakes: MistakeList): Change | undefined => {
  if (isChange(declared)) {
    const sound = soundOptions(
      { ...declared },
      tables[declared.kind],
      `${where} ${builderOf(declared)}`,
      mistakes,
    )
    return sound as Change | undefined
  }
  mistakes.add(
    where,
    'this is not a change.',
    Array.isArray(declared)
      ? 'Put what is in this list into the list around it: ...list.'
      : `Write a call, such as ${tables['rename-field'].form}.`,
  )
  return undefined
}

const isChange = (value: unknown): value is Change =>
  typeof value === 'object' && value !== null && 'kind' in value && Object.hasOwn(tables, String(value.kind))
