import { type RuleRun, recordMade } from '../../declare/condition.ts'
import { isTerm } from '../../declare/rule.ts'
import { partSource } from './lost-parts.ts'
import { isCondition } from './normal-form.ts'

export interface RepeatableRun extends RuleRun<unknown> {
  /** Runs the rule once more, where wanted without the row or the caller. */
  again(given?: { readonly row?: null; readonly caller?: null }): unknown
}

/**
 * What decides in JavaScript how a rule goes on, as source; null where nothing does. In `a || b` and `a ?? b` the condition `b` is never
 * made, so that it is not missed either, and only the source of the rule itself can be read, not that of functions it calls. So the rule
 * runs again for each value that it was given, without that value: null must reach a condition, or break the rule. Where the rule
 * returns something all the same, JavaScript has put something else in the place of the value. Without row or caller, which need not be
 * used, nothing else may be returned.
 */
export function skippedBy({ result, given, again }: RepeatableRun): string | null {
  for (const [index, value] of given.entries()) if (goesOnWithout(again, index)) return textOf(value)
  if (goesOtherwise(() => again({ row: null }), result)) return 'row'
  return goesOtherwise(() => again({ caller: null }), result) ? 'caller' : null
}

function goesOtherwise(run: () => unknown, wanted: unknown): boolean {
  try {
    const { result } = recordMade(run)
    return (typeof result === 'boolean' || isCondition(result)) && textOf(result) !== textOf(wanted)
  } catch {
    return false
  }
}

function goesOnWithout(again: RepeatableRun['again'], index: number): boolean {
  try {
    const { result, given, passedOn } = recordMade(() => again(), index)
    // A part behind `?.` gives undefined, which is no result.
    return index < given.length && !passedOn && result !== null && result !== undefined
  } catch {
    return false
  }
}

const textOf = (value: unknown): string => {
  if (isTerm(value)) return partSource(value.operand)
  if (typeof value === 'boolean') return String(value)
  return isCondition(value) ? partSource(value) : 'a row that it leads to'
}
