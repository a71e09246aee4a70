import type { Alternatives, Filter } from '../call/query.ts'
import { eitherOrParameter, mostAlternatives, mostConditions } from '../compile/resources/either-or-limits.ts'
import { listedNames, offeredFilters } from './disclosure.ts'
import { readCondition, refuserOf, type SentFilter } from './filter.ts'

/** Whether a parameter is about alternatives: `filter[or][0][status]`. */
export const isOfAlternatives = (name: string): boolean =>
  name === eitherOrParameter || name.startsWith(`${eitherOrParameter}[`)

/** Reads `filter[or][0][status]`, `filter[or][1][total][gte]` and so on, all of one query. */
export function readAlternatives(sent: readonly SentFilter[]): Alternatives {
  const alternatives: Filter[][] = []
  const parameters: (string | undefined)[] = []
  for (const one of sent) {
    const place = placeIn(one)
    if (!place) continue
    const { number, name, operator } = place
    const conditions = alternatives[number] ?? []
    alternatives[number] = conditions
    parameters[number] ??= one.parameter
    const filter = readCondition(one, `filter[or][${number}]`, name, operator)
    if (filter) addCondition(conditions, filter, one)
  }
  refuseGaps(alternatives, parameters, sent)
  return alternatives
}

interface Place {
  readonly number: number
  readonly name: string
  readonly operator: string | undefined
}

const nested = /^filter\[or\]\[\d\]\[or\]\[/

/** Which alternative and field a parameter is about; null where it has another form. */
function placeIn(sent: SentFilter): Place | null {
  const { parameter, view, disclosure } = sent
  const refuse = refuserOf(sent)
  const form = () => {
    const [field = 'field'] = offeredFilters(view, disclosure)
    return `filter[or][0][${field}]`
  }
  if (nested.test(parameter))
    return refuse(() => ({
      detail: 'has alternatives within an alternative; give them one level',
      code: 'syntax',
    }))
  const [, index = '', name = '', operator] =
    /^filter\[or\]\[(\d{1,9})\]\[([^[\]]+)\](?:\[([^[\]]+)\])?$/.exec(parameter) ?? []
  if (index === '')
    return refuse(() => ({
      detail: `is not a condition of an alternative; write ${form()}, with the number of the alternative and one of ${listedNames(offeredFilters(view, disclosure))}`,
      code: 'syntax',
    }))
  const number = Number(index)
  if (String(number) !== index || number >= mostAlternatives)
    return refuse(() => ({
      detail: `has the number ${index}; there are at most ${mostAlternatives} alternatives, numbered 0 to ${mostAlternatives - 1}`,
      code: 'too_many',
    }))
  return { number, name, operator }
}

function addCondition(conditions: Filter[], filter: Filter, sent: SentFilter): void {
  const refuse = refuserOf(sent)
  if (conditions.some(({ name, operator }) => name === filter.name && operator === filter.operator))
    refuse(() => ({ detail: 'is given twice; give it once', code: 'repeated' }))
  else if (conditions.length === mostConditions)
    refuse(() => ({
      detail: `is one too many: an alternative has at most ${mostConditions} conditions`,
      code: 'too_many',
    }))
  else conditions.push(filter)
}

/** A number that was left out is a slip, and so might be a condition that is missing. */
function refuseGaps(
  alternatives: Alternatives,
  parameters: readonly (string | undefined)[],
  sent: readonly SentFilter[],
): void {
  for (const number of alternatives.keys()) {
    if (alternatives[number]) continue
    const after = parameters.find((name, at) => at > number && name !== undefined)
    const one = sent.find(({ parameter }) => parameter === after)
    if (one)
      refuserOf(one)(() => ({
        detail: `follows a gap: there is no filter[or][${number}]; number alternatives 0, 1, 2 and so on`,
        code: 'syntax',
      }))
  }
}
