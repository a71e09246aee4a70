import type { ApiLimits } from '../../declare/api.ts'
import type { RateDeclaration, ResourceLimits } from '../../declare/resource.ts'
import { type MistakeList, shownValue } from '../mistakes.ts'
import type { ApiLimitsModel, LimitsModel, Model, RateModel, View } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'

/** What a limit is unless it is declared, and the most that it can be: more would bound neither statements nor requests in a useful way. */
interface Bound {
  readonly usual: number
  readonly most: number
}

const ofResources: { readonly [L in keyof LimitsModel]: Bound } = {
  includeRelations: { usual: 10, most: 50 },
  includeDepth: { usual: 2, most: 5 },
  includeRows: { usual: 50, most: 1_000 },
  pageDefault: { usual: 25, most: 1_000 },
  pageMax: { usual: 100, most: 1_000 },
  bodyBytes: { usual: 1_048_576, most: 67_108_864 },
  responseBytes: { usual: 8_000_000, most: 67_108_864 },
  countRows: { usual: 10_000, most: 100_000 },
  bulkRows: { usual: 100, most: 1_000 },
  totalRows: { usual: 100_000, most: 1_000_000 },
}

/** The limits that a resource can have of its own. */
export const limitNames = Object.keys(ofResources) as readonly (keyof LimitsModel)[]

/** The most that a limit of a resource can be. */
export const mostOf = (name: keyof LimitsModel): number => ofResources[name].most

const ofApi: { readonly [L in keyof ApiLimitsModel]: Bound } = {
  ...ofResources,
  jsonDepth: { usual: 32, most: 200 },
  headerBytes: { usual: 16_384, most: 262_144 },
  // Usually a page of 100 rows with a list of 50 each, and two to-ones for each row of these.
  rowsPerRequest: { usual: 15_000, most: 100_000 },
  idempotencyHours: { usual: 24, most: 8_760 },
  requestsInFlight: { usual: 1_000, most: 100_000 },
  streams: { usual: 100, most: 10_000 },
  webhookEndpoints: { usual: 50, most: 10_000 },
  cascadeRows: { usual: 10_000, most: 1_000_000 },
  answersInFlight: { usual: 100, most: 10_000 },
}

export const apiLimits = (declared: ApiLimits | undefined, mistakes: MistakeList): ApiLimitsModel => {
  const usual = Object.entries(ofApi).map(([name, bound]) => [name, bound.usual])
  const limits = readLimits<ApiLimitsModel>(declared, Object.fromEntries(usual), 'limits', mistakes)
  if (limits.rowsPerRequest < limits.pageMax)
    mistakes.add(
      'limits.rowsPerRequest',
      `${limits.rowsPerRequest} is less than one page of ${limits.pageMax}.`,
      'Raise it, or lower pageMax.',
    )
  return limits
}

/** A resource takes limits that it does not declare from the API. */
export const resourceLimits = (
  declared: ResourceLimits | undefined,
  api: LimitsModel,
  resource: string,
  mistakes: MistakeList,
): LimitsModel => {
  const ofThis = Object.fromEntries(limitNames.map((name) => [name, api[name]]))
  return readLimits<LimitsModel>(declared, ofThis, `${resource}.limits`, mistakes)
}

const readLimits = <L extends LimitsModel>(
  declared: Partial<L> | undefined,
  unlessSaid: { readonly [limit: string]: number },
  where: string,
  mistakes: MistakeList,
): L => {
  const limits = { ...unlessSaid }
  for (const [name, value] of Object.entries(declared ?? {})) {
    if (value === undefined) continue
    const most = Object.hasOwn(unlessSaid, name) ? ofApi[name as keyof ApiLimitsModel].most : undefined
    if (most === undefined && Object.hasOwn(ofApi, name)) {
      mistakes.add(
        where,
        `"${name}" is a limit of the whole API, and no resource has its own.`,
        'Write it into the limits of api(…).',
      )
    } else if (most === undefined) {
      mistakes.add(where, `"${name}" is not a limit.`, didYouMean(name, Object.keys(unlessSaid)))
    } else if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > most) {
      mistakes.add(
        `${where}.${name}`,
        typeof value === 'number' ? `${value} is out of range.` : `${shownValue(value)} is not a number.`,
        `Write a whole number from 1 to ${most}.`,
      )
    } else limits[name] = value as number
  }
  const checked = limits as unknown as L
  if (checked.pageDefault > checked.pageMax) {
    if (declared?.pageDefault === undefined) limits.pageDefault = checked.pageMax
    else
      mistakes.add(
        where,
        `pageDefault ${checked.pageDefault} is more than pageMax ${checked.pageMax}.`,
        'Lower pageDefault or raise pageMax.',
      )
  }
  return Object.freeze(checked)
}

export const checkedRate = (declared: RateDeclaration, where: string, mistakes: MistakeList): RateModel => {
  const { perSecond, burst = Math.ceil(perSecond * 2) } = declared
  if (!(perSecond > 0 && Number.isFinite(perSecond)))
    mistakes.add(`${where}.perSecond`, `${perSecond} is not a rate.`, 'Write a number above 0.')
  if (!(Number.isInteger(burst) && burst >= 1 && burst >= perSecond))
    mistakes.add(
      `${where}.burst`,
      `${burst} is too small.`,
      'Write a whole number of at least 1 and at least perSecond.',
    )
  return Object.freeze({ perSecond, burst })
}

/** A call must pass the API's rate too, so a higher rate of a resource would promise what no caller can get. */
export const resourceRate = (
  declared: RateDeclaration,
  api: RateModel,
  resource: string,
  mistakes: MistakeList,
): RateModel => {
  const where = `${resource}.rate`
  for (const name of ['perSecond', 'burst'] as const) {
    const value = declared[name]
    if (value !== undefined && value > api[name])
      mistakes.add(
        `${where}.${name}`,
        `${value} is more than the API's ${api[name]}, which every call must pass too.`,
        `Write at most ${api[name]}, or raise the "rate" of the API.`,
      )
  }
  const rate = checkedRate(declared, where, mistakes)
  return Object.freeze({ ...rate, burst: Math.min(rate.burst, api.burst) })
}

export const defaultRate: RateDeclaration = { perSecond: 100, burst: 200 }

/** Limits that bound nothing unless a resource declares something else too. */
const needed = {
  countRows: { bounds: ({ counted }: View) => counted, what: 'counts its rows (`count: true`)' },
  bulkRows: { bounds: ({ bulk }: View) => bulk, what: 'takes lists of rows (`bulk: true`)' },
  totalRows: { bounds: ({ totals }: View) => totals !== null, what: 'has totals (`totals: { … }`)' },
}

/** Limits of the API and of resources that bound nothing in any version. */
export const limitWarnings = ({ declaration, versions }: Model): readonly string[] => {
  const all = versions.flatMap(({ views }) => [...views.values()])
  const warnings = (limits: ResourceLimits = {}, where: string, who: string, views: readonly View[]) =>
    (Object.keys(needed) as (keyof typeof needed)[]).flatMap((name) =>
      limits[name] === undefined || views.some(needed[name].bounds)
        ? []
        : [`${where}.${name}: ${who} ${needed[name].what}, so the limit bounds nothing.`],
    )
  return [
    ...warnings(declaration.limits, 'limits', 'no resource', all),
    ...declaration.resources.flatMap(({ name, limits }) => {
      const views = all.filter(({ resource }) => resource.name === name)
      return warnings(limits, `${name}.limits`, `no version of ${name}`, views)
    }),
  ]
}
