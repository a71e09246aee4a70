import type { LimitsModel, View } from '../compile/model.ts'

export type PromisedLimits = Omit<LimitsModel, 'countRows'> & Partial<Pick<LimitsModel, 'countRows'>>

/** The limits that a version tells of a resource. How far rows are counted means nothing where they are not. */
export const promisedLimits = ({ limits, counted }: Pick<View, 'limits' | 'counted'>): PromisedLimits => {
  const { countRows, ...others } = limits
  return counted ? { ...others, countRows } : others
}
