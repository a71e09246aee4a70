/**
 * What a statement is made from besides a part of the model: plain data, of which the text says all. A set of scopes or a query is none, and
 * TypeScript refuses it.
 */
export type Data = string | number | boolean | null | readonly Data[] | { readonly [member: string]: Data }

/** Data that many calls have in common. Its text is a number that no other data have: a long text would be compared in each call. */
export class Shared<T extends Data> {
  readonly data: T
  readonly text: string

  constructor(data: T) {
    this.data = data
    this.text = `#${numberOf(JSON.stringify(data))}`
  }
}

const numbers = new Map<string, number>()
const mostNumbers = 10_000
let lastNumber = 0

/** Numbers are never given twice. Once they are forgotten, the same data have another one, and are planned for again. */
function numberOf(text: string): number {
  const known = numbers.get(text)
  if (known !== undefined) return known
  if (numbers.size >= mostNumbers) numbers.clear()
  numbers.set(text, ++lastNumber)
  return lastNumber
}

/** Shapes that callers can multiply (filters, sorts, includes, sets of fields) are bounded. */
const mostPlans = 4_000
const leastOfEach = 20

/** A part of the model, and data. */
type PlanOf<Of, Given extends readonly (Data | Shared<Data>)[], Plan> = (of: Of, ...given: Given) => Plan

/**
 * Plans by what they are made from: a part of the model, such as a view, and data. What makes a plan is given these and nothing else. So
 * whatever matters to a statement is in the text by which it is found: two calls that need different statements cannot get the same one.
 */
export class Plans {
  readonly #kinds: Map<object, Map<string, unknown>>[] = []

  /** Forgets all plans: what they were made from has changed. */
  clear(): void {
    for (const plans of this.#kinds) plans.clear()
  }

  /** Plans of one kind. Of each part of the model, an equal share is kept. Beyond, the oldest is forgotten and made again. */
  of<Of extends object, Given extends readonly (Data | Shared<Data>)[], Plan>(
    make: PlanOf<Of, Given, Plan>,
  ): PlanOf<Of, Given, Plan> {
    const kind = new Map<Of, Map<string, Plan>>()
    this.#kinds.push(kind as Map<object, Map<string, unknown>>)
    return (of, ...given) => {
      const plans = kind.get(of) ?? new Map<string, Plan>()
      kind.set(of, plans)
      const text = textOf(given)
      const known = plans.get(text)
      if (known !== undefined) return known
      const made = make(of, ...given)
      if (plans.size >= Math.max(leastOfEach, Math.floor(mostPlans / kind.size))) {
        const [oldest] = plans.keys()
        if (oldest !== undefined) plans.delete(oldest)
      }
      plans.set(text, made)
      return made
    }
  }
}

function textOf(given: readonly (Data | Shared<Data>)[]): string {
  let text = ''
  for (const one of given) {
    if (one === null) text += 'null'
    else if (one === '') text += '""'
    else text += one instanceof Shared ? one.text : JSON.stringify(one)
    text += ' '
  }
  return text
}
