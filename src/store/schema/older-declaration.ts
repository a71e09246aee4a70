import { sqlText } from '../../kinds/sql.ts'
import { type Session, StoreOutdated } from '../store.ts'
import type { Lineage } from './lineage.ts'
import type { PresentTable } from './present.ts'
import { renamedPrefix } from './store-generation.ts'
import type { Table } from './table.ts'

/**
 * Refuses a declaration that uses names which were renamed in the store, and does not know the new names. Such a declaration is
 * older than the store, and would serve new, empty tables and columns instead of those with the rows.
 */
export async function refuseOlderDeclaration(
  session: Session,
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  present: ReadonlyMap<string, PresentTable>,
): Promise<void> {
  if (!present.has('nounkit_meta')) return
  const like = `SELECT "key", "value" FROM "nounkit_meta" WHERE "key" LIKE ${sqlText(`${renamedPrefix}%`)}`
  const renamed = new Map((await session.all(like)).map(([key, now]) => [String(key), String(now)]))
  if (renamed.size === 0) return
  const missed = missingNames(wanted, present).flatMap(({ name, isKnown }) => {
    const now = renamed.get(renamedPrefix + name)
    return now === undefined || isKnown(now, lineages) ? [] : [{ name, now }]
  })
  if (missed.length === 0) return
  const renames = missed.map(({ name, now }) => `${name} is ${now} now`).join(', ')
  const keys = missed.map(({ name }) => sqlText(renamedPrefix + name)).join(', ')
  throw new StoreOutdated(
    `The store was migrated past this declaration: ${renames}. Nothing was changed. Start the newer release, which knows them. If these names are meant for something new, say so first: DELETE FROM "nounkit_meta" WHERE "key" IN (${keys})`,
  )
}

interface MissingName {
  readonly name: string
  /** Whether the declaration has, or had in some version, something under the new name. */
  readonly isKnown: (now: string, lineages: readonly Lineage[]) => boolean
}

function missingNames(
  wanted: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly MissingName[] {
  return wanted.flatMap((table): MissingName[] => {
    const found = present.get(table.name)
    if (!found) {
      const isKnown = (now: string, lineages: readonly Lineage[]) =>
        lineages.some((one) => one.table === now || one.former.some((then) => then.table === now))
      return [{ name: table.name, isKnown }]
    }
    return [...missingColumns(table, found), ...values(table)]
  })
}

const missingColumns = (table: Table, found: PresentTable): MissingName[] =>
  table.columns
    .filter(({ name }) => !found.columns.has(name))
    .map(({ name }) => ({
      name: `${table.name}.${name}`,
      isKnown: (now, lineages) =>
        table.columns.some((column) => column.name === now) ||
        formerOf(table, lineages).some(({ columns }) => [...columns.values()].includes(now)),
    }))

/** Values count even when no row has one: the older declaration would write them again. */
const values = (table: Table): MissingName[] =>
  table.checks.flatMap((check) =>
    check.values.map((value) => ({
      name: `${table.name}.${check.column}=${value}`,
      isKnown: (now: string, lineages: readonly Lineage[]) =>
        check.values.includes(now) ||
        formerOf(table, lineages).some((then) => then.values.get(check.column)?.has(now)),
    })),
  )

const formerOf = (table: Table, lineages: readonly Lineage[]) =>
  lineages.find((one) => one.table === table.name)?.former ?? []
