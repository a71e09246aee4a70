import type { Field, Model, Resource } from '../compile/model.ts'
import type { RecorderRow } from './recorder-rows.ts'

export const columnKey = ({ table }: Pick<Resource, 'table'>, { column }: Pick<Field, 'column'>): string =>
  `${table}.${column}`

/** The fields to which processes of this declaration always give a value, and older ones may not, as `table.column`. */
export const requiredColumns = ({ stored }: Model): readonly string[] =>
  [...stored.values()].flatMap((resource) =>
    resource.engineMade
      ? []
      : resource.fields
          .filter(({ nullable, whenNone }) => !nullable && whenNone !== undefined)
          .map((field) => columnKey(resource, field)),
  )

/** Whether some process may still write rows without a value there. One that was killed counts until it is marked as lost. */
export const mayBeLeftOut = (processes: readonly RecorderRow[], key: string): boolean =>
  processes.some(({ lost, requires }) => !lost && !requires.includes(key))
