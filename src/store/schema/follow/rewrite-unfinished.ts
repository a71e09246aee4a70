import type { Model } from '../../../compile/model.ts'
import { sqlText } from '../../../kinds/sql.ts'
import { rowOfKey, unfinishedKey, unfinishedPrefix } from '../unfinished-key.ts'
import type { FollowStep, Rebuild } from './follow-plan.ts'
import { resourceWith } from './planning.ts'
import type { Reading } from './scan.ts'
import { eventName } from './stored-events.ts'

const ofNotes = `FROM "nounkit_meta" WHERE "key" LIKE ${sqlText(`${unfinishedPrefix}%`)}`

/**
 * An interrupted import has noted which references its rows lack, by the names of resources and fields. They get the names of today, so that the
 * import can go on. Notes of what was dropped are deleted.
 */
export async function rewriteUnfinished(
  { session, dialect }: Reading,
  model: Model,
  steps: readonly FollowStep[],
): Promise<void> {
  const notes = await session.all(`SELECT "key", "value" ${ofNotes}`)
  if (notes.length === 0) return
  const stepOf = new Map(
    steps.map((step) => [eventName(step.kind === 'drop' ? step.table : step.from), step]),
  )
  await session.all(`DELETE ${ofNotes}`)
  const [key, value] = [1, 2].map((at) => dialect.param(at, 'string'))
  const insert = `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${key}, ${value})`
  for (const note of notes) {
    const [account, before, id] = rowOfKey(String(note[0]))
    const step = stepOf.get(before)
    if (step?.kind === 'drop') continue
    const known: readonly string[] = JSON.parse(String(note[1]))
    const fields = step ? namesNow(step, known) : known
    const resource = step ? resourceWith(model, step.table.name).name : before
    if (fields.length > 0)
      await session.all(insert, [unfinishedKey(account, resource, id), JSON.stringify(fields)])
  }
}

/** A reference's field and its column have one name. */
const namesNow = ({ columns }: Rebuild, fields: readonly string[]): readonly string[] =>
  columns.flatMap(({ column, from }) => (from !== null && fields.includes(from) ? [column.name] : []))
