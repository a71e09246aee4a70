import { objectName } from '../../plan/object-name.ts'
import { type Move, movesOf } from './renames.ts'
import type { Reshape } from './table-change.ts'

type Kind = Parameters<typeof objectName>[2]

/** The name that an index or a constraint has before the table and its columns get their new names. */
export const nameBefore = ({ from, columns }: Reshape, names: readonly string[], kind: Kind): string =>
  objectName(
    from,
    names.map((name) => columns.find(({ column }) => column.name === name)?.from ?? name),
    kind,
  )

/** Renames of indexes whose names follow from former names of the table and its columns. */
export function indexMoves(reshape: Reshape, present: Iterable<string>): readonly Move[] {
  const { table } = reshape
  const own = table.indexes.map(({ name, unique, columns }) => {
    const names = columns.map((column) => column.name)
    return { name, former: [nameBefore(reshape, names, unique ? 'key' : 'idx')] }
  })
  const primary = {
    name: objectName(table.name, ['primary'], 'key'),
    former: [nameBefore(reshape, ['primary'], 'key')],
  }
  return movesOf([...own, primary], present)
}
