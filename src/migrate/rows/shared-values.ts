import { hyphenated } from '../../compile/names/name-rules.ts'
import { counted } from '../../compile/names/plural.ts'
import { type Dialect, ident } from '../../plan/dialect.ts'
import type { Session } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'

const account = 'account_id'
const mostText = 60

/**
 * Which rows share values that a new unique index does not allow, as the end of a sentence:
 * `rows of books share values of isbn, in 2 groups, such as "123" (2 rows, such as b1 and b2 of the account "acme")`. Null where no rows do.
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
  const shown = unique.map(({ name, kind }) => dialect.json(ident(name), kind, false)).join(', ')
  const groups = `FROM ${ident(table)} WHERE ${set} GROUP BY ${all} HAVING count(*) > 1`
  const [first] = await session.all(
    `SELECT count(*), min("id"), max("id"), ${shown} ${groups} ORDER BY ${all} LIMIT 1`,
  )
  if (!first) return null
  const [rows, one, other, ...values] = first
  const [[count]] = (await session.all(`SELECT count(*) FROM (SELECT 1 ${groups}) AS g`)) as [[number]]
  const texts = unique.map(({ name }, at) => ({ name, text: String(values[at]).slice(0, mostText) }))
  const fields = texts.filter(({ name }) => name !== account)
  const owner = texts.find(({ name }) => name === account)
  const whose = owner ? ` of the account ${owner.text}` : ''
  return `rows of ${hyphenated(table)} share values of ${fields.map(({ name }) => name).join(', ')}, in ${counted(Number(count), 'group')}, such as ${fields.map(({ text }) => text).join(', ')} (${rows} rows, such as ${one} and ${other}${whose})`
}
