import type { Contract } from '../../compile/contract-format.ts'
import type { Model } from '../../compile/model.ts'
import type { Change } from '../../declare/change.ts'
import { type Age, compareWithPromise } from '../compare-with-promise.ts'
import type { Difference } from '../diff/difference.ts'
import { type Guess, guessRenames } from './guess-renames.ts'
import { withChanges } from './with-changes.ts'

export interface Explained {
  /** Changes that were tried and explain their differences. */
  readonly changes: readonly Guess['change'][]
  /** The differences still refused with them; null where that is unknown. */
  readonly left: readonly Difference[] | null
  /** The API with these changes. */
  readonly with: Model
}

/**
 * Finds changes that need no choice by a person, and tries each: it is written into the version, and its differences must
 * be gone. So the consequences of a rename (paths, ids, rules with other names) need not be listed here.
 */
export const explain = (
  model: Model,
  contracts: ReadonlyMap<string, Contract>,
  name: string,
  age: Age,
): Explained => {
  const promise = contracts.get(name)
  // The version's own contract is left out, so that nothing is hidden: a thing whose rename is not found yet would be, and
  // changes of older versions may name it. Until then only breaks count.
  const others = new Map([...contracts].filter(([one]) => one !== name))
  const write = (at: Model, changes: readonly Change[]): State | null => {
    const written = withChanges(at, others, name, changes)
    return written && promise ? stateOf(written, name, promise, 'newest') : null
  }
  const changes: Guess['change'][] = []
  let at = write(model, [])
  for (let next = at && proven(at, write); next; next = proven(next.after, write)) {
    changes.push(next.change)
    at = next.after
  }
  const whole = withChanges(model, contracts, name, changes)
  const after = whole && promise ? stateOf(whole, name, promise, age) : at
  return { changes, left: after?.refused ?? null, with: changes.length > 0 && after ? after.model : model }
}

/** The first guess that explains its differences. */
const proven = (
  { model, refused, guesses }: State,
  write: (at: Model, changes: readonly Change[]) => State | null,
): { readonly change: Guess['change']; readonly after: State } | null => {
  for (const { change, lifts } of guesses) {
    const after = refused.some(lifts) ? write(model, [change]) : null
    if (after && !after.refused.some(lifts)) return { change, after }
  }
  return null
}

interface State {
  readonly model: Model
  readonly refused: readonly Difference[]
  readonly guesses: readonly Guess[]
}

const stateOf = (model: Model, name: string, promise: Contract, age: Age): State => {
  const version = model.versions.find((one) => one.name === name) ?? model.head
  const { refused } = compareWithPromise(model, version, promise, age)
  return { model, refused, guesses: guessRenames(model, version, promise) }
}
