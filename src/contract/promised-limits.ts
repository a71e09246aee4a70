import type { LimitsModel, View } from '../compile/model.ts'

/** Limits that mean nothing where a resource does not declare what they bound. */
type Optional = 'countRows' | 'bulkRows'

export type PromisedLimits = Omit<LimitsModel, Optional> & Partial<Pick<LimitsModel, Optional>>

/** The limits that a version tells of a resource. */
export const promisedLimits = ({
  limits,
  counted,
  bulk,
}: Pick<View, 'limits' | 'counted' | 'bulk'>): PromisedLimits => {
  const { countRows, bulkRows, ...others } = limits
  return { ...others, ...(counted && { countRows }), ...(bulk && { bulkRows }) }
}
