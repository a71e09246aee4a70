import { type Dialect, ident } from '../../plan/dialect.ts'
import type { Session } from '../../store/store.ts'
import type { PresentColumn } from '../present.ts'

/** How many rows have a value in the old column and none in the present one. */
export const rowsLacking = (
  session: Session,
  dialect: Dialect,
  table: string,
  old: string,
  now: PresentColumn,
): Promise<number> => count(session, `${ident(table)} WHERE ${isLacking(dialect, old, now)}`)

/**
 * How many rows would lose the value of the present column if it got those of the old one. A default says nothing about a row, unless the old
 * column has nothing and the default does not come back.
 */
export function rowsOverwritten(
  session: Session,
  dialect: Dialect,
  table: string,
  old: string,
  { name, default: value }: PresentColumn,
  comesBack: boolean,
): Promise<number> {
  const text = (expression: string): string => dialect.asText(expression)
  const isOther = [`${ident(name)} IS NOT NULL`, dialect.distinct(text(ident(name)), text(ident(old)))]
  if (value !== null) {
    const isOwn = dialect.distinct(text(ident(name)), text(value))
    isOther.push(comesBack ? isOwn : `(${isOwn} OR ${ident(old)} IS NULL)`)
  }
  return count(session, `${ident(table)} WHERE ${isOther.join(' AND ')}`)
}

/** A column that was added with a default has it in every row, which says nothing about the row. */
function isLacking(dialect: Dialect, old: string, { name, default: value }: PresentColumn): string {
  const text = (expression: string): string => dialect.asText(expression)
  const isDefault =
    value === null
      ? ''
      : ` OR (${text(ident(name))} = ${text(value)} AND ${text(ident(name))} <> ${text(ident(old))})`
  return `${ident(old)} IS NOT NULL AND (${ident(name)} IS NULL${isDefault})`
}

const count = async (session: Session, rows: string): Promise<number> =>
  Number((await session.all(`SELECT count(*) FROM ${rows}`))[0]?.[0])
