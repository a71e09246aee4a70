import type { ApiLimitsModel, LimitsModel, Model, Version } from '../../compile/model.ts'

/**
 * The limits that most resources of the version have. The limits of the API cannot be used: an older version keeps its
 * own when the API raises them.
 */
export const usualLimits = ({ views }: Version, { limits }: Model): ApiLimitsModel => {
  const own = [...views.values()].filter((view) => view.methods.size > 0).map((view) => view.limits)
  const names = Object.keys(own[0] ?? {}) as (keyof LimitsModel)[]
  return { ...limits, ...Object.fromEntries(names.map((name) => [name, usual(own.map((one) => one[name]))])) }
}

/** The most frequent value; of several, the greatest. */
const usual = (figures: readonly number[]): number => {
  const counts = Map.groupBy(figures, (figure) => figure)
  const most = Math.max(...counts.values().map((same) => same.length))
  return Math.max(...figures.filter((figure) => counts.get(figure)?.length === most))
}
