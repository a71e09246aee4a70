import type { StatesField, SumField } from '../../declare/field.ts'
import type { MistakeList } from '../mistakes.ts'
import { listOf, mapOf, type OptionTable, soundOptions, text } from './shapes.ts'

const tables: { readonly [K in 'states' | 'sum']: OptionTable } = {
  states: {
    form: "states('draft', { draft: ['placed'] })",
    needs: { initial: text, moves: mapOf(listOf(text)) },
    may: { description: text, needsScopes: listOf(text), was: text },
  },
  sum: {
    form: "sum('items', 'price')",
    needs: { relation: text, of: listOf(text) },
    may: { description: text, needsScopes: listOf(text), was: text },
  },
}

/** Checks the arguments of states(…) and sum(…). */
export const checkFieldShape = (
  field: StatesField | SumField,
  where: string,
  mistakes: MistakeList,
): boolean => {
  const before = mistakes.all.length
  soundOptions({ ...field }, tables[field.kind], where, mistakes)
  return mistakes.all.length === before
}
