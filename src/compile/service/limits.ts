import type { ApiLimits } from '../../declare/api.ts'
import type { RateDeclaration, ResourceLimits } from '../../declare/resource.ts'
import type { MistakeList } from '../mistakes.ts'
import type { ApiLimitsModel, LimitsModel, RateModel } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'

const resourceDefaults: LimitsModel = {
  includeRelations: 10,
  includeDepth: 2,
  includeRows: 50,
  pageDefault: 25,
  pageMax: 100,
  bodyBytes: 1_048_576,
  responseBytes: 8_000_000,
  countRows: 10_000,
  bulkRows: 100,
  totalRows: 100_000,
}

const apiDefaults: ApiLimitsModel = {
  ...resourceDefaults,
  jsonDepth: 32,
  headerBytes: 16_384,
  // A page of 100 rows with a list of 50 each, and two to-ones for each row of these.
  rowsPerRequest: 15_000,
  idempotencyHours: 24,
  requestsInFlight: 1_000,
  streams: 100,
  webhookEndpoints: 50,
  cascadeRows: 10_000,
  answersInFlight: 100,
}

/** Higher limits would bound neither statements nor requests in a useful way. */
const greatest: ApiLimitsModel = {
  includeRelations: 50,
  includeDepth: 5,
  includeRows: 1_000,
  pageDefault: 1_000,
  pageMax: 1_000,
  bodyBytes: 67_108_864,
  responseBytes: 67_108_864,
  countRows: 100_000,
  bulkRows: 1_000,
  totalRows: 1_000_000,
  jsonDepth: 200,
  headerBytes: 262_144,
  rowsPerRequest: 100_000,
  idempotencyHours: 8_760,
  requestsInFlight: 100_000,
  streams: 10_000,
  webhookEndpoints: 10_000,
  cascadeRows: 1_000_000,
  answersInFlight: 10_000,
}

export const apiLimits = (declared: ApiLimits | undefined, mistakes: MistakeList): ApiLimitsModel => {
  const limits = readLimits(declared, apiDefaults, 'limits', mistakes)
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
  const names = Object.keys(resourceDefaults) as (keyof LimitsModel)[]
  const base = Object.fromEntries(names.map((name) => [name, api[name]])) as unknown as LimitsModel
  return readLimits(declared, base, `${resource}.limits`, mistakes)
}

const readLimits = <L extends LimitsModel>(
  declared: Partial<L> | undefined,
  defaults: L,
  where: string,
  mistakes: MistakeList,
): L => {
  const limits: { [name: string]: number } = { ...(defaults as LimitsModel) }
  for (const [name, value] of Object.entries(declared ?? {})) {
    if (value === undefined) continue
    const most = name in defaults ? greatest[name as keyof ApiLimitsModel] : undefined
    if (most === undefined) {
      mistakes.add(where, `"${name}" is not a limit.`, didYouMean(name, Object.keys(defaults)))
    } else if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > most) {
      mistakes.add(
        `${where}.${name}`,
        `${String(value)} is out of range.`,
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
