import type { ContractRate, ContractService } from '../../compile/contract-format.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { compareProblems } from './compare-problems.ts'
import {
  additive,
  asSet,
  breaking,
  type ContractPart,
  type Difference,
  type Differences,
  matched,
  sayAt,
} from './difference.ts'

export const compareServices = (from: ContractService, to: ContractService): Differences => {
  const found: Difference[] = []
  if (!sameJson(from.authentication, to.authentication)) {
    const what = `${from.authentication.join(', ')} became ${to.authentication.join(', ')}`
    found.push(sayAt('service', 'authentication')(breaking, what, 'authentication'))
  }
  const types = { ...from.request_media_types, response: from.response_media_types }
  const nowTypes = { ...to.request_media_types, response: to.response_media_types }
  for (const [where, before] of Object.entries(types)) {
    const now: readonly string[] = (nowTypes as ContractService['request_media_types'])[where] ?? []
    found.push(...compareNames(before, now, 'service', `media types of ${where}`, 'media type'))
  }
  for (const [name, keys, nowKeys] of matched(from.envelopes, to.envelopes).both) {
    if (sameJson(keys, nowKeys)) continue
    const what = `keys ${keys.join(', ')} became ${nowKeys.join(', ')}`
    found.push(sayAt('service', `envelope ${name}`)(breaking, what, 'envelope'))
  }
  return [
    ...found,
    ...compareLimits(asNumbers(from.idempotency), asNumbers(to.idempotency), 'service', 'idempotency'),
    ...compareLimits(from.limits, to.limits, 'service', 'limits'),
    ...compareRates(from.rate, to.rate, 'service', 'rate'),
    ...compareNames(from.headers, to.headers, 'service', 'every answer', 'response header'),
    ...compareProblems('every call', from.problems, to.problems),
  ]
}

const asNumbers = (value: object): { readonly [name: string]: number } => ({ ...value })

/** Compares lists of names: a new name is additive, a removed one breaks. */
export const compareNames = (
  before: readonly string[],
  after: readonly string[],
  part: ContractPart,
  where: string,
  noun: string,
  resource?: string,
): Differences => {
  const { gone, come } = matched(asSet(before), asSet(after))
  const difference = (name: string, verdict: Difference['verdict'], verb: string): Difference =>
    sayAt(part, where, { name, resource })(verdict, `${noun} ${name} was ${verb}`, `${noun} ${verb}`)
  return [
    ...gone.map((name) => difference(name, breaking, 'removed')),
    ...come.map((name) => difference(name, additive, 'added')),
  ]
}

export const compareLimits = (
  from: { readonly [name: string]: number },
  to: { readonly [name: string]: number },
  part: ContractPart,
  where: string,
  resource?: string,
): Differences =>
  matched(from, to)
    .both.filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => {
      const say = sayAt(part, `${where}.${name}`, { name, from: before, to: after, resource })
      return after < before
        ? say(breaking, `${before} was lowered to ${after}`, 'limit')
        : say(additive, `${before} was raised to ${after}`, 'limit')
    })

export const compareRates = (
  from: ContractRate | undefined,
  to: ContractRate | undefined,
  part: ContractPart,
  where: string,
): Differences => {
  const none = { per_second: Number.POSITIVE_INFINITY, burst: Number.POSITIVE_INFINITY }
  return compareLimits(asNumbers(from ?? none), asNumbers(to ?? none), part, where)
}
