import type { MistakeList } from '../mistakes.ts'
import type { LimitsModel, RateModel } from '../model.ts'
import type { ResourceDraft } from './resource-draft.ts'

/** The member of a body by which it is a list of rows. */
export const listMember = 'data'

/** Whether a POST may bring a list of rows. */
export const takesLists = (
  { declaration }: ResourceDraft,
  { bulkRows }: LimitsModel,
  { burst }: RateModel,
  mistakes: MistakeList,
): boolean => {
  if (declaration.bulk !== true) return false
  const note = mistakes.at(`${declaration.name}.bulk`)
  if (declaration.methods && !declaration.methods.includes('POST'))
    note('a list is sent by POST, which is not offered.', "Add 'POST' to methods, or take bulk off.")
  // Each row takes a token, and a bucket never holds more than its burst.
  if (bulkRows > burst)
    note(
      `a list may have ${bulkRows} rows, each of which counts as a request, and the rate lets ${burst} through at once.`,
      `Write limits: { bulkRows: ${burst} }, or raise the burst of the rate.`,
    )
  return true
}
