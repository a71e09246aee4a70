import { kindOf } from '../change-kinds/change-kinds.ts'
import { type ChangeList, reportOf } from './report.ts'
import type { Draft } from './view-draft.ts'

/** The newer version's views with every change of the list taken back, still keyed by the newer names. */
export const takeBack = (draft: Draft, list: ChangeList): Draft => {
  let at = draft
  for (const phase of [0, 1, 2, 3, 4]) {
    list.changes.forEach((change, index) => {
      const kind = kindOf(change)
      if (kind.phase !== phase) return
      const report = reportOf(list, index, change, at)
      // A default may be declared again where a map of its values already gave it the older value.
      if (kind.changesNothing(change, at) && kind.changesNothing(change, draft))
        report.mistake('it changes nothing.', 'Leave it out, or say what the older version had.')
      else at = kind.takeBack(at, change, report)
    })
  }
  return at
}
