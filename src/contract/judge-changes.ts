import type { DataLoss } from '../compile/change-kinds/change-kind.ts'
import { kindOf } from '../compile/change-kinds/change-kinds.ts'
import type { Version } from '../compile/model.ts'
import type { SchemaVerdict } from '../compile/schemas/schema-verdict.ts'
import type { Change } from '../declare/change.ts'

/** What the catalogue says of one change of a version's list. */
export interface JudgedChange {
  readonly change: Change
  readonly verdict: SchemaVerdict
  readonly loss: DataLoss
}

/** The verdict of each kind of change, found without looking at contracts. diff.ts compares contracts and nothing else. */
export const judgeChanges = (version: Version): readonly JudgedChange[] =>
  version.changes.map((change) => ({
    change,
    verdict: kindOf(change).verdict(change, version.successor ?? version),
    loss: kindOf(change).loss(change),
  }))
