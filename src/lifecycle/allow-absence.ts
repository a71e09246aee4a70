import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import type { NamesRecord } from '../compile/stored-names.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { forgetRequired } from '../migrate/postgres/require-column.ts'
import { changeNames } from '../migrate/record/names-record.ts'
import type { Store } from '../store/store.ts'
import { awaitRecorders } from './await-recorders.ts'
import { readUnendedIfAllAnswer } from './recorder-rows.ts'
import { columnKey, keptSums, sumColumn } from './required-columns.ts'

interface AllowOptions {
  readonly clock: Clock
  /** Null where the caller tells processes itself, so that it is not waited for them. */
  readonly beatMs?: number | null
  /** Called with the number of processes that it is waited for. */
  readonly waiting: (processes: number) => void
}

/**
 * A process of an older declaration may leave out what a newer one requires, and does not keep sums that it does not know: the others add these up when they are read from then on. Where the store refuses rows without a value since, this takes the NOT
 * NULL off, once all processes know that rows may lack a value again. It is called when the row of this process is in the store, and before it serves: from then on no
 * process makes the column NOT NULL.
 */
export async function allowAbsence(
  store: Store,
  declared: Model,
  model: Model,
  options: AllowOptions,
): Promise<void> {
  for (;;) {
    let refused: readonly string[] = []
    // Without a published version the store has no record: it has one process, and names of its declaration.
    const isChanged = await changeNames(store, async (names) => {
      refused = refusedColumns(model, names)
      const unkept = (await sumsOfOthers(store, model)).filter((key) => !names.counting.includes(key))
      if (refused.length + unkept.length === 0) return null
      const opened = refused.map((key) => [key, { ...names.absent[key], state: 'open' }])
      return {
        ...names,
        absent: { ...names.absent, ...Object.fromEntries(opened) },
        counting: [...names.counting, ...unkept],
      }
    })
    if (!isChanged) return
    if (options.beatMs !== null) await awaitRecorders(store, options.clock, { waiting: options.waiting })
    if (store.dialect.name === 'postgres') for (const key of refused) await forgetRequired(store, key)
    if (refused.length > 0) await migrateStore(store, declared)
  }
}

/**
 * The sums that processes which serve keep, and this one does not, or not alike. Where a node of a cluster is away they are not known: a process
 * must be able to start meanwhile, and `nounkit check --sums` finds what it leaves out.
 */
async function sumsOfOthers(store: Store, model: Model): Promise<readonly string[]> {
  const own = new Set(keptSums(model, store.dialect).values())
  const others = ((await readUnendedIfAllAnswer(store)) ?? [])
    .filter(({ lost }) => !lost)
    .flatMap(({ requires }) => requires)
  return [...new Set(others.filter((entry) => !own.has(entry)).flatMap((entry) => sumColumn(entry) ?? []))]
}

/** Fields that this declaration may leave out, and that the store does not allow to be left out. */
const refusedColumns = ({ stored }: Model, { absent }: NamesRecord): readonly string[] =>
  [...stored.values()].flatMap((resource) =>
    resource.fields.flatMap((field) => {
      const key = columnKey(resource, field)
      return field.nullable && absent[key] && absent[key].state !== 'open' ? [key] : []
    }),
  )
