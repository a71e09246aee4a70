import type { Field, Model, Resource } from '../compile/model.ts'
import type { AbsentValue } from '../compile/stored-names.ts'
import { requireOnPostgres } from '../migrate/postgres/require-column.ts'
import { changeNames } from '../migrate/record/names-record.ts'
import { canRequire, requireOnSqlite } from '../migrate/sqlite/require-column.ts'
import type { Store } from '../store/store.ts'
import { fillAbsent, forgetFilled } from '../write/fill-absent.ts'
import { FillProgress } from '../write/fill-progress.ts'
import { readUnended } from './recorder-rows.ts'
import { columnKey, mayBeLeftOut } from './required-columns.ts'

interface Parts {
  readonly store: Store
  readonly model: Model
  readonly warn: (message: string, error: unknown) => void
}

/**
 * Once no process serves that may leave out what this declaration requires, rows get the value that stands for none, and the column becomes
 * NOT NULL. Until then nothing is changed: see plan/absent-values.ts.
 */
export async function completeRequired(parts: Parts, signal: AbortSignal): Promise<void> {
  for (const resource of parts.model.stored.values())
    for (const field of resource.fields)
      if (field.mayLack && !signal.aborted) await completeField(parts, resource, field, signal)
}

async function completeField(
  { store, warn }: Parts,
  resource: Resource,
  field: Field,
  signal: AbortSignal,
): Promise<void> {
  const key = columnKey(resource, field)
  const mayStill = async (): Promise<boolean> => mayBeLeftOut(await readUnended(store), key)
  if (await mayStill()) return forgetFilled(store, resource, field)
  const what = `${resource.name}.${field.name}`
  const progress = new FillProgress((rows, isDone) =>
    warn(
      isDone
        ? `${what} was filled in ${rows} without a value.`
        : `${what} is being filled in rows without a value: ${rows} so far.`,
      null,
    ),
  )
  if (!(await fillAbsent(store, resource, field, { signal, note: progress.note }))) return
  progress.end()
  if (store.dialect.name === 'sqlite' && !(await canRequire(store))) return
  if (!(await record(store, key, 'open', 'checked'))) return
  const demand = async (): Promise<void> => {
    if (await mayStill()) throw new MayBeLeftOut()
  }
  try {
    await (store.dialect.name === 'sqlite' ? requireOnSqlite : requireOnPostgres)(store, key, demand)
  } catch (error) {
    await record(store, key, 'checked', 'open')
    if (!(error instanceof MayBeLeftOut)) throw error
    return
  }
  // Sums of these values are right when they are read, until they are corrected: see complete-sums.ts.
  const sums = resource.feeds
    .filter(({ of }) => of.includes(field.name))
    .map((feed) => columnKey(feed.on, feed.field))
  await record(store, key, 'checked', 'filled', sums)
}

/** A process of an older declaration has started. */
class MayBeLeftOut extends Error {}

/** False where another process has changed it meanwhile. */
const record = (
  store: Store,
  key: string,
  from: AbsentValue['state'],
  to: AbsentValue['state'],
  sums: readonly string[] = [],
): Promise<boolean> =>
  changeNames(store, (names) => {
    const known = names.absent[key]
    // A process that was killed may have left it checked.
    if (!known || (known.state !== from && known.state !== to)) return null
    return {
      ...names,
      absent: { ...names.absent, [key]: { ...known, state: to } },
      counting: [...new Set([...names.counting, ...sums])],
    }
  })
