import type { ApiLimitsModel, LimitsModel, Model, Version } from '../../compile/model.ts'

export type UsualLimits = Omit<ApiLimitsModel, 'countRows' | 'bulkRows'>

/**
 * The limits that most resources of the version have. The limits of the API cannot be used: an older version keeps its
 * own when the API raises them.
 */
export const usualLimits = ({ views }: Version, { limits }: Model): UsualLimits => {
  // How far rows are counted, and how many a list has, is told where that is offered.
  const { countRows: _, bulkRows: __, ...ofApi } = limits
  const own = [...views.values()].filter((view) => view.methods.size > 0).map((view) => view.limits)
  const names = Object.keys(own[0] ?? {}).filter((name) => name in ofApi) as (keyof LimitsModel)[]
  return { ...ofApi, ...Object.fromEntries(names.map((name) => [name, usual(own.map((one) => one[name]))])) }
}

/** The most frequent value; of several, the greatest. */
const usual = (figures: readonly number[]): number => {
  const counts = Map.groupBy(figures, (figure) => figure)
  const most = Math.max(...counts.values().map((same) => same.length))
  return Math.max(...figures.filter((figure) => counts.get(figure)?.length === most))
}
