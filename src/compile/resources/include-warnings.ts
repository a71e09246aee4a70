import { kinds } from '../../kinds/kinds.ts'
import type { Field, IncludeNode, Model, View } from '../model.ts'

/** A page that is worth asking for has at least as many rows. */
const usefulPage = 10

/** Includes that are hardly ever of use, and texts that make answers with includes too large. */
export const includeWarnings = (model: Model): readonly string[] => {
  const views = [...model.head.views.values()].filter(({ resource }) => !resource.engineMade)
  return [...views.flatMap((view) => narrowIncludes(view, model.limits.rowsPerRequest)), ...longTexts(views)]
}

/** An include that a page may bring along, as declared. */
interface Path {
  readonly text: string
  readonly target: View
  /** The most rows that it adds to one row, those of the steps before it included. */
  readonly rows: number
}

const pathsOf = (
  nodes: ReadonlyMap<string, IncludeNode>,
  above: { readonly text: string; readonly rows: number; readonly atStep: number } = {
    text: '',
    rows: 0,
    atStep: 1,
  },
): readonly Path[] =>
  [...nodes].flatMap(([name, { relation, children }]) => {
    const atStep = above.atStep * (relation.relation.kind === 'has-many' ? relation.cap : 1)
    const here = { text: above.text + name, rows: above.rows + atStep, atStep }
    return [{ ...here, target: relation.target() }, ...pathsOf(children, { ...here, text: `${here.text}.` })]
  })

const narrowIncludes = ({ name, include, limits }: View, most: number): readonly string[] => {
  const page = Math.min(usefulPage, limits.pageMax)
  return pathsOf(include)
    .filter(({ rows }) => rows * page > most)
    .map(({ text, rows }) => {
      const largest = Math.floor(most / rows)
      return `${name}.include: "${text}" may add ${rows} rows to each row of a list, so a list with it has at most limit=${largest}; any other is refused, because limits.rowsPerRequest is ${most}. Lower the cap of its relations, or raise limits.rowsPerRequest to ${rows * page}.`
    })
}

/** One row may be included many times over, so a text without a bound makes answers too large that have few rows. */
const longTexts = (views: readonly View[]): readonly string[] => {
  const includedBy = new Map<View, string>()
  for (const view of views)
    for (const { text, target } of pathsOf(view.include))
      if (!includedBy.has(target)) includedBy.set(target, `${view.name} (include=${text})`)
  return [...includedBy].flatMap(([{ name, resource }, by]) =>
    resource.fields
      .filter(isLongText)
      .map(
        (field) =>
          `${name}.fields.${field.name}: the text has no max, and ${by} may repeat it with every row, so that answers become too large. Give it one, such as z.string().max(2000).`,
      ),
  )
}

const isLongText = ({ kind, schema, kept, writeOnly }: Field): boolean =>
  !kept &&
  !writeOnly &&
  schema.type === 'string' &&
  kinds[kind].mostBytes?.(schema) === Number.POSITIVE_INFINITY
