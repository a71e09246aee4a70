import { hyphenated } from '../../compile/names/name-rules.ts'
import { type Dialect, ident } from '../../plan/dialect.ts'
import type { Row, Session } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { Column } from '../wanted/table.ts'

const mostGroups = 3
const mostIds = 3
const mostText = 60

/**
 * Which rows share values that a new unique index does not allow, as the end of a sentence:
 * `rows of books share values of isbn, in 2 groups: "123" (ids b1, b2 of the account acme); …`. Null where no rows do.
 */
export async function sharedRows(
  session: Pick<Session, 'all'>,
  dialect: Dialect,
  { table, unique = [] }: Pick<Step, 'table' | 'unique'>,
): Promise<string | null> {
  if (unique.length === 0) return null
  const all = unique.map(({ name }) => ident(name)).join(', ')
  // Rows with a NULL among the values never conflict.
  const set = unique.map(({ name }) => `${ident(name)} IS NOT NULL`).join(' AND ')
  const [found] = await session.all(
    `SELECT count(*) FROM (SELECT 1 FROM ${ident(table)} WHERE ${set} GROUP BY ${all} HAVING count(*) > 1) AS g`,
  )
  const groups = Number(found?.[0])
  if (groups === 0) return null
  const shown = unique.map(({ name, kind }) => dialect.json(ident(name), kind, false)).join(', ')
  const rows = await session.all(
    `SELECT "nounkit_rows", "id", ${shown} FROM (SELECT *, count(*) OVER (PARTITION BY ${all}) AS "nounkit_rows", row_number() OVER (PARTITION BY ${all} ORDER BY "id") AS "nounkit_at" FROM ${ident(table)} WHERE ${set}) AS g WHERE "nounkit_rows" > 1 AND "nounkit_at" <= ${mostIds} ORDER BY ${all}, "nounkit_at" LIMIT ${mostGroups * mostIds}`,
  )
  const such = groups > mostGroups ? ', such as' : ':'
  const names = fieldsOf(unique).map(({ name }) => name)
  return `rows of ${hyphenated(table)} share values of ${names.join(', ')}, in ${groups} ${groups === 1 ? 'group' : 'groups'}${such} ${examples(rows, unique)}`
}

const account = 'account_id'
const fieldsOf = (unique: readonly Column[]): readonly Column[] =>
  unique.filter(({ name }) => name !== account)

/** `"123" (ids b1, b2 of the account acme)` for each of the first groups. */
function examples(rows: readonly Row[], unique: readonly Column[]): string {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = JSON.stringify(row.slice(2))
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()]
    .slice(0, mostGroups)
    .map((group) => exampleOf(group, unique))
    .join('; ')
}

function exampleOf(group: readonly Row[], unique: readonly Column[]): string {
  const [count, , ...values] = group[0] ?? []
  const more = Number(count) - group.length
  const ids = group.map(([, id]) => String(id)).join(', ')
  const owner = unique.findIndex(({ name }) => name === account)
  const whose = owner < 0 ? '' : ` of the account ${JSON.parse(String(values[owner]))}`
  const shown = values.filter((_, at) => at !== owner).map((value) => String(value).slice(0, mostText))
  return `${shown.join(', ')} (ids ${ids}${more > 0 ? ` and ${more} more` : ''}${whose})`
}
