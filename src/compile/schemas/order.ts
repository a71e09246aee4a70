import type { JsonSchema } from '../../declare/json-schema.ts'
import { canonicalJson } from './canonical.ts'

/**
 * The order that a published version shows its names in. Names in `known` have the order of `known`; a new name stays
 * behind the name it was declared behind.
 */
export const inOrderOf = <T>(declared: Iterable<T>, known: Iterable<T>): readonly T[] => {
  const all = [...new Set(declared)]
  const names = new Set(all)
  const ordered = [...new Set(known)].filter((name) => names.has(name))
  const placed = new Set(ordered)
  all.forEach((name, index) => {
    const before = all[index - 1]
    if (!placed.has(name)) ordered.splice(before === undefined ? 0 : ordered.indexOf(before) + 1, 0, name)
  })
  return ordered
}

type Named<T> = { readonly [name: string]: T }

/** The same members in the order of another object's; `member` puts what both have in order too. */
export const membersInOrderOf = <T>(
  declared: Named<T>,
  known: Named<T>,
  member: (declared: T, known: T) => T = (one) => one,
): Named<T> =>
  Object.fromEntries(
    inOrderOf(Object.keys(declared), Object.keys(known)).map((name) => {
      const [one, other] = [declared[name] as T, known[name]]
      return [name, other === undefined ? one : member(one, other)]
    }),
  )

/** The same schema with its keywords, keys, listed values and forms in the order of another one's. */
export const schemaInOrderOf = (declared: JsonSchema, known: JsonSchema): JsonSchema => {
  const [from, to] = [declared as Named<unknown>, known as Named<unknown>]
  const ordered = Object.keys(from).map((keyword) => [
    keyword,
    to[keyword] === undefined ? from[keyword] : keywordInOrderOf(keyword, from[keyword], to[keyword]),
  ])
  return membersInOrderOf(Object.fromEntries(ordered), to) as JsonSchema
}

const keywordInOrderOf = (keyword: string, declared: unknown, known: unknown): unknown => {
  switch (keyword) {
    case 'enum':
    case 'required':
      return inOrderOf(declared as unknown[], known as unknown[])
    case 'properties':
      return membersInOrderOf(declared as Named<JsonSchema>, known as Named<JsonSchema>, schemaInOrderOf)
    case 'anyOf':
      return formsInOrderOf(declared as JsonSchema[], known as JsonSchema[])
    case 'prefixItems':
      return (declared as JsonSchema[]).map((one, place) =>
        schemaInOrderOf(one, (known as JsonSchema[])[place] ?? {}),
      )
    case 'items':
    case 'propertyNames':
    case 'additionalProperties':
      return typeof declared === 'object' && typeof known === 'object'
        ? schemaInOrderOf(declared as JsonSchema, known as JsonSchema)
        : declared
    default:
      return declared
  }
}

/** Forms are matched by what they allow; where several allow the same, by their position among those. */
const formsInOrderOf = (declared: readonly JsonSchema[], known: readonly JsonSchema[]): JsonSchema[] =>
  Object.values(membersInOrderOf(byContent(declared), byContent(known), schemaInOrderOf))

const byContent = (forms: readonly JsonSchema[]): Named<JsonSchema> => {
  const named: { [content: string]: JsonSchema } = {}
  for (const form of forms) {
    let content = withoutOrder(form)
    while (named[content]) content += ' again'
    named[content] = form
  }
  return named
}

/** A text that is equal for schemas (or objects with schemas) that differ only in order and descriptions. */
export const withoutOrder = (schema: object): string => canonicalJson(unordered(schema))

const unordered = (value: unknown, keyword = ''): unknown => {
  if (Array.isArray(value)) {
    const all = value.map((one) => unordered(one))
    return keyword === 'prefixItems'
      ? all
      : all.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  // Among the keys of an object these are names like any other.
  const isWord = (name: string) => keyword !== 'properties' && (name === 'description' || name === 'examples')
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isWord(name))
      .map(([name, member]) => [name, unordered(member, keyword === 'properties' ? '' : name)]),
  )
}
