import type { Model } from '../../compile/model.ts'
import { metaTable } from '../../store/meta.ts'
import type { ChangePlan } from '../plan/change-plan.ts'
import type { Present } from '../present.ts'
import { grownShape, readShape, recordShape, type StoredShape, shapeOf } from '../record/shape.ts'
import type { Reading } from '../rows/scan.ts'
import { unfitRows } from '../rows/unfit-rows.ts'
import { undoneRenames } from './undone-renames.ts'

/**
 * A start while nothing is published only adds to the store. Anything else is for `nounkit migrate` and `nounkit dev`, which can ask: renames that
 * the declaration says, and values that it does not allow any more.
 */
export async function byNobody(reading: Reading, model: Model, found: Present): Promise<ChangePlan> {
  // Without nounkit_meta the tables are another program's.
  const before = found.has(metaTable) ? await readShape(reading.session) : null
  const undone = found.has(metaTable) ? await undoneRenames(reading, model, found) : []
  const declared = shapeOf(model)
  return {
    changes: [],
    notes: [],
    losses: [],
    refusals: [...undone, ...(before ? await unfitRows(reading, model, withoutMissing(before, found)) : [])],
    outdates: false,
    recounts: false,
    record: (hasSteps) => {
      const after = before ? grownShape(before, declared) : hasSteps ? declared : null
      return after && JSON.stringify(after) !== JSON.stringify(before) ? [recordShape(after)] : []
    },
  }
}

/** What was dropped by hand has no rows to look at. */
const withoutMissing = (shape: StoredShape, found: Present): StoredShape =>
  Object.fromEntries(
    Object.entries(shape).map(([table, columns]) => [
      table,
      Object.fromEntries(Object.entries(columns).filter(([name]) => found.get(table)?.columns.has(name))),
    ]),
  )
