import type { Grants } from '../call/grants.ts'
import type { Included } from '../call/included.ts'
import type { Dialect } from './dialect.ts'
import { projectIncluded } from './project.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
import { Binds } from './statement.ts'

/** The column with the index of each bound row. No field has this name. */
const rowIndex = '#'

/**
 * The stored rows that rows which are not stored include: `[index, json]` for each of them. Bound: a JSON array of arrays with their index,
 * their id and their references, in the order of `referencesIn`.
 */
export function selectEmbedded(tree: readonly Included[], grants: Grants, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect, grants)
  const alias = binds.alias()
  const rows = dialect.rowsIn(binds.use(0, 'string'), [
    { name: rowIndex, kind: 'integer' },
    { name: 'id', kind: 'id' },
    ...referencesIn(tree).map((name) => ({ name, kind: 'reference' as const })),
  ])
  const json = projectIncluded(tree, alias, binds)
  return rowStatement(`SELECT ${alias}"${rowIndex}", ${json} FROM (${rows}) ${alias.slice(0, -1)}`, binds)
}

/** The references by which a row finds what it includes. Rows that are not stored have their fields as columns. */
export const referencesIn = (tree: readonly Included[]): readonly string[] => [
  ...new Set(
    tree.flatMap(({ relation: { relation } }) => (relation.kind === 'belongs-to' ? [relation.field] : [])),
  ),
]
