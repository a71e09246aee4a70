import { z } from 'zod'
import { isStates, marksOf, states } from '../../src/declare/field.ts'

type Options = { readonly [name: string]: unknown }
/** Another order of a list. */
export type Permute = <T>(list: readonly T[]) => readonly T[]

/** The options of a resource, with everything in another order whose order says nothing. */
export const reorderedOptions = <O extends Options>(options: O, permute: Permute): O => ({
  ...options,
  fields: reorderedMembers(options.fields as Options, permute, reorderedField),
  ...members(options, ['relations', 'problems'], (one) => reorderedMembers(one as Options, permute)),
  ...members(options, ['filter', 'sort', 'include'], (one) => permute(one as unknown[])),
  ...members(options, ['unique'], (one) => permute((one as unknown[]).map((set) => listOf(set, permute)))),
  ...members(options, ['deleteOnlyWhile'], (one) => reorderedMembers(one as Options, permute, listOf)),
  ...members(options, ['onlyWhile'], (one) =>
    reorderedMembers(one as Options, permute, (rules) => reorderedMembers(rules as Options, permute, listOf)),
  ),
})

const members = (options: Options, names: readonly string[], change: (one: unknown) => unknown): Options =>
  Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, change(options[name])]])),
  )

export const reorderedMembers = <T>(
  all: { readonly [name: string]: T },
  permute: Permute,
  change: (one: T, permute: Permute) => T = (one) => one,
): { readonly [name: string]: T } =>
  Object.fromEntries(permute(Object.entries(all)).map(([name, one]) => [name, change(one, permute)]))

const listOf = (value: unknown, permute: Permute): unknown => (Array.isArray(value) ? permute(value) : value)

const reorderedField = (field: unknown, permute: Permute): unknown => {
  if (isStates(field)) {
    const { initial, moves, ...told } = field
    return states(initial as never, reorderedMembers(moves as Options, permute, listOf) as never, told)
  }
  if (!(field instanceof z.ZodType) || Object.keys(marksOf(field)).length > 0) return field
  const { description } = field
  const made = reorderedSchema(field, permute)
  return description === undefined ? made : made.describe(description)
}

const reorderedSchema = (schema: z.ZodType, permute: Permute): z.ZodType => {
  if (schema instanceof z.ZodEnum) return z.enum(permute(schema.options.map(String)))
  if (schema instanceof z.ZodObject)
    return z.object(reorderedMembers(schema.shape as { [name: string]: z.ZodType }, permute, reorderedSchema))
  if (schema instanceof z.ZodOptional)
    return reorderedSchema(schema.unwrap() as z.ZodType, permute).optional()
  return schema
}
