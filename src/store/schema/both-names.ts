import { counted } from '../../compile/plural.ts'
import { type Dialect, ident } from '../../plan/dialect.ts'
import { type Session, StoreRefused } from '../store.ts'
import type { Lineage } from './lineage.ts'
import { formerNames } from './name-moves.ts'
import type { PresentColumn, PresentTable } from './present.ts'
import type { Found } from './rename-steps.ts'
import type { Table } from './table.ts'

/**
 * Refuses a store that has a table or column under its own name and under an older one, where the older one has values that the other
 * lacks. Nothing is renamed where both are there, so every version would show rows without these values.
 */
export async function refuseBothNames(
  session: Session,
  dialect: Dialect,
  wanted: readonly Table[],
  found: readonly Found[],
  present: ReadonlyMap<string, PresentTable>,
): Promise<void> {
  const sentences: string[] = []
  for (const one of found) {
    sentences.push(...(await rowsLeft(session, wanted, found, one, present)))
    const there = present.get(one.name)
    if (there) sentences.push(...(await valuesLeft(session, dialect, one, there)))
  }
  if (sentences.length === 0) return
  throw new StoreRefused(
    `The store has old and new names side by side, and values under the old ones that no version would show. Nothing was changed. Copy these values, or delete them under the old name, then start again:\n${sentences.join('\n')}`,
  )
}

async function rowsLeft(
  session: Session,
  wanted: readonly Table[],
  found: readonly Found[],
  { table, lineage, name }: Found,
  present: ReadonlyMap<string, PresentTable>,
): Promise<readonly string[]> {
  const sentences: string[] = []
  // The columns that tell a table of this API from one of another program, which may have any name.
  const own = [...table.primaryKey, 'version']
  const used = new Set([...wanted.map((one) => one.name), ...found.map((one) => one.name)])
  for (const old of formerNames(
    table.name,
    lineage.former.map((then) => then.table),
  )) {
    const there = present.get(old)
    if (!there || used.has(old) || !own.every((column) => there.columns.has(column))) continue
    const same = table.primaryKey.map((column) => `n.${ident(column)} = o.${ident(column)}`).join(' AND ')
    const rows = await count(
      session,
      `${ident(old)} AS o WHERE NOT EXISTS (SELECT 1 FROM ${ident(name)} AS n WHERE ${same})`,
    )
    if (rows === 0) continue
    const are = rows === 1 ? 'is' : 'are'
    sentences.push(
      `- ${table.name} was ${old} in ${versionOf(lineage, (then) => then.table === old)}: ${counted(rows, 'row')} of ${old} ${are} not in ${name}. Where ${name} has no rows yet, drop it and run nounkit migrate --rename.`,
    )
  }
  return sentences
}

async function valuesLeft(
  session: Session,
  dialect: Dialect,
  { table, lineage, name, columns }: Found,
  there: PresentTable,
): Promise<readonly string[]> {
  const sentences: string[] = []
  const used = new Set([...table.columns.map((column) => column.name), ...columns.map(({ from }) => from)])
  for (const column of table.columns) {
    const now = there.columns.get(columns.find(({ to }) => to === column.name)?.from ?? column.name)
    if (!now) continue
    for (const old of formerNames(
      column.name,
      lineage.former.map((then) => then.columns.get(column.name)),
    )) {
      if (used.has(old) || !there.columns.has(old)) continue
      const rows = await rowsLacking(session, dialect, name, old, now)
      if (rows === 0) continue
      const version = versionOf(lineage, (then) => then.columns.get(column.name) === old)
      const have = rows === 1 ? 'has' : 'have'
      sentences.push(
        `- ${table.name}.${column.name} was ${old} in ${version}: ${counted(rows, 'row')} ${have} a value in ${old} and none in ${now.name}. To copy: UPDATE ${ident(name)} SET ${ident(now.name)} = ${ident(old)} WHERE ${isLacking(dialect, old, now)};`,
      )
    }
  }
  return sentences
}

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

const versionOf = (
  { former }: Lineage,
  had: (then: Lineage['former'][number]) => boolean,
): string | undefined => former.find(had)?.version

const count = async (session: Session, rows: string): Promise<number> =>
  Number((await session.all(`SELECT count(*) FROM ${rows}`))[0]?.[0])
