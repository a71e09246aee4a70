import type { Field, Model, Resource } from '../compile/model.ts'
import { sumsOf } from '../migrate/sums/sums.ts'
import type { Dialect } from '../plan/dialect.ts'
import type { RecorderRow } from './recorder-rows.ts'

export const columnKey = ({ table }: Pick<Resource, 'table'>, { column }: Pick<Field, 'column'>): string =>
  `${table}.${column}`

/** A sum as a process says that it keeps it: its column, and what it adds up. */
const sumEntry = (key: string, definition: string): string => `sum ${key} ${definition}`

/** The sums that processes of this declaration keep: by column, as they say so. */
export const keptSums = (model: Model, dialect: Dialect): ReadonlyMap<string, string> =>
  new Map(
    sumsOf(model, dialect).map(({ table, column, definition }) => {
      const key = `${table}.${column}`
      return [key, sumEntry(key, definition)]
    }),
  )

/** A cascade as a process says that it knows it. */
export const cascadeEntry = (key: string): string => `cascade ${key}`

/** The cascades that processes of this declaration know, of those that were added beside older ones. */
export const knownCascades = ({ stored }: Model): readonly string[] =>
  [...stored.values()].flatMap(({ table, field, restricting }) =>
    [...restricting].map((name) => cascadeEntry(`${table}.${field.get(name)?.column}`)),
  )

/** The column of an entry; null where it is of no sum. */
export const sumColumn = (entry: string): string | null => /^sum (\S+)/.exec(entry)?.[1] ?? null

/** The fields to which processes of this declaration always give a value, and older ones may not, as `table.column`. */
export const requiredColumns = ({ stored }: Model): readonly string[] =>
  [...stored.values()].flatMap((resource) =>
    resource.engineMade
      ? []
      : resource.fields
          .filter(({ nullable, whenNone }) => !nullable && whenNone !== undefined)
          .map((field) => columnKey(resource, field)),
  )

/** Whether some process does not do what an entry says: it may write rows without a value, not keep a sum, or not know a cascade. One that was killed counts until it is marked as lost. */
export const mayBeLeftOut = (processes: readonly RecorderRow[], key: string): boolean =>
  processes.some(({ lost, requires }) => !lost && !requires.includes(key))
