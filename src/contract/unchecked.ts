import type { BelongsToModel, View } from '../compile/model.ts'

/** Whether the row that a reference names may be missing: the store checks only references of stored rows to stored rows. */
export const isUnchecked = (from: View, { target }: BelongsToModel): boolean =>
  Boolean(from.resource.answered || target.answered)
