import type { BelongsToModel, IncludeNode, View } from '../../compile/model.ts'
import { plainCounted } from '../../compile/names/plural.ts'
import { isUnchecked } from '../unchecked.ts'
import { type DocumentNames, pascal, singularName } from './document-names.ts'
import { type DocumentPart, schemaRef } from './field-schemas.ts'

type Schemas = { [name: string]: DocumentPart }
type RowSchema = (view: View, naming: DocumentNames) => DocumentPart

export const relationsName = (view: View, naming: DocumentNames): string =>
  `${naming.schema(view)}WithRelations`

/**
 * The schemas of a row with the relations that may be included. Each repeats the row's own fields instead of joining two
 * schemas by `allOf`, where generators lose that a field can be null.
 */
export const relationSchemas = (view: View, naming: DocumentNames, rowSchema: RowSchema): Schemas => {
  const schemas: Schemas = {}
  const freeName = createFreeNames()

  const define = (name: string, of: View, tree: ReadonlyMap<string, IncludeNode>, path: string): void => {
    // Sorted before they are named, so that names do not depend on the order of the declaration.
    const names = new Map([...tree.keys()].sort().map((step) => [step, freeName(path, step)]))
    const relations = [...tree].map(([step, node]) => [step, relationSchema(of, node, names.get(step) ?? '')])
    const { examples: _, properties, ...row } = rowSchema(of, naming)
    schemas[name] = {
      ...row,
      title: name,
      properties: { ...(properties as DocumentPart), ...Object.fromEntries(relations) },
    }
  }

  const relationSchema = (of: View, { relation, children }: IncludeNode, name: string): DocumentPart => {
    const target = relation.target()
    if (children.size > 0) define(name, target, children, name)
    const row = schemaRef(children.size === 0 ? naming.schema(target) : name)
    const description = `${relation.description === '' ? '' : `${relation.description} `}There when included.`
    if (relation.relation.kind !== 'belongs-to') {
      schemas[`${name}List`] = listSchema(row, relation.cap)
      return { ...schemaRef(`${name}List`), description }
    }
    const isAlways = isAlwaysShown(of, relation.relation)
    return isAlways ? { ...row, description } : { anyOf: [row, { type: 'null' }], description }
  }

  define(relationsName(view, naming), view, view.include, `${naming.schema(view)}Included`)
  return schemas
}

/** A row that a rule hides from the caller is shown as `null`. Where the reference itself is not shown, it may be unset. */
const isAlwaysShown = (of: View, to: BelongsToModel): boolean =>
  of.fields.some(({ field, nullable }) => field?.relation === to && !nullable) &&
  !isUnchecked(of, to) &&
  to.target.rules.read === null

/** `OrderIncludedItem` for a step `items`; `OrderIncludedItems` where a relation `item` has that name already. */
const createFreeNames = (): ((path: string, step: string) => string) => {
  const used = new Set<string>()
  return (path, step) => {
    const plain = `${path}${pascal(step)}`
    let name = `${path}${pascal(singularName(step))}`
    for (let serial = 1; used.has(name.toLowerCase()); serial++)
      name = serial === 1 ? plain : `${plain}${serial}`
    used.add(name.toLowerCase())
    return name
  }
}

/** Raising a cap is not a breaking change, so the schema has no `maxItems`. */
const listSchema = (row: DocumentPart, cap: number): DocumentPart => ({
  type: 'object',
  description: `At most ${plainCounted(cap, 'row')}; \`page.next\` continues.`,
  properties: {
    data: { type: 'array', items: row },
    page: schemaRef('IncludedPage'),
  },
  required: ['data', 'page'],
})
