import type { LimitsModel, View } from '../compile/model.ts'

/** Limits that mean nothing where a resource does not declare what they bound. */
type Optional = 'countRows' | 'bulkRows' | 'totalRows'

export type PromisedLimits = Omit<LimitsModel, Optional> & Partial<Pick<LimitsModel, Optional>>

/** The limits that a version tells of a resource. */
export const promisedLimits = ({
  limits,
  counted,
  bulk,
  totals,
}: Pick<View, 'limits' | 'counted' | 'bulk' | 'totals'>): PromisedLimits => {
  const { countRows, bulkRows, totalRows, ...others } = limits
  return {
    ...others,
    ...(counted && { countRows }),
    ...(bulk && { bulkRows }),
    ...(totals && { totalRows }),
  }
}
