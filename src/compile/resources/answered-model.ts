import type { ResourceDeclaration } from '../../declare/resource.ts'
import { minuteMs, secondMs } from '../../times.ts'
import type { MistakeList } from '../mistakes.ts'
import type { AnswerCode, AnsweredModel } from '../model.ts'

/** What a noun that is answered by code cannot have, and why. */
const onlyOfStoredRows: readonly (readonly [option: keyof ResourceDeclaration, why: string, hint: string])[] =
  [
    ['hooks', 'the code is asked itself, so nothing runs around it', 'Do it in the functions of answers.'],
    ['unique', 'only the code knows all rows', 'Refuse a taken value in create, by reject(…).'],
    ['bulk', 'a list of rows is created in one transaction', 'Leave it out.'],
    ['count', 'only the store counts rows', 'Leave it out.'],
    ['search', 'only the store has an index of words', 'Leave it out.'],
    ['onlyWhile', 'only the store locks the related row', 'Look the row up in create, and reject(…).'],
    ['deleteOnlyWhile', 'nothing of it is deleted', 'Leave it out.'],
    ['requireIfMatch', 'nothing of it is changed', 'Leave it out.'],
    ['was', 'it has no table whose name could change', 'Leave it out.'],
  ]

const withinUnlessSaid = 10 * secondMs
const longestWithin = 5 * minuteMs

/** The code of a noun that is answered by it; null where rows are stored. */
export const readAnswers = (declared: ResourceDeclaration, mistakes: MistakeList): AnsweredModel | null => {
  const { name, answers, answerWithin } = declared
  if (answers === undefined) {
    if (answerWithin !== undefined)
      mistakes.add(
        `${name}.answerWithin`,
        'it is the time of code that answers, and there is none.',
        'Leave it out, or declare answers.',
      )
    return null
  }
  checkOptions(declared, mistakes)
  const { create = null, get = null, list = null } = answers as { readonly [K in Answer]?: AnswerCode }
  if (!create && !get && !list)
    mistakes.add(
      `${name}.answers`,
      'there is no function, so nothing is offered.',
      'Write at least one of create, get and list.',
    )
  if (!list)
    for (const option of ['filter', 'sort'] as const)
      if (declared[option] !== undefined)
        mistakes.add(
          `${name}.${option}`,
          'it is for lists, and answers has no list.',
          'Write answers: { list({ filter, sort }) { … } }, or leave it out.',
        )
  return Object.freeze({ create, get, list, withinMs: readWithin(name, answerWithin, mistakes) })
}

type Answer = 'create' | 'get' | 'list'

const checkOptions = (declared: ResourceDeclaration, mistakes: MistakeList): void => {
  const { name, events, idempotencyKey, rules } = declared
  const add = (option: string, why: string, hint: string) =>
    mistakes.add(`${name}.${option}`, `it cannot go with answers: ${why}.`, hint)
  for (const [option, why, hint] of onlyOfStoredRows)
    if (declared[option] !== undefined && declared[option] !== false) add(option, why, hint)
  if (events === true) add('events', 'code tells nobody what it changes', 'Leave it out.')
  if (typeof idempotencyKey === 'object' && idempotencyKey.body === 'reread')
    add('idempotencyKey', 'an answer is kept as it was given', "Leave out body: 'reread'.")
  for (const kind of ['update', 'delete'] as const)
    if (rules?.[kind] !== undefined) add(`rules.${kind}`, `no method does that`, 'Leave it out.')
}

const lengths: { readonly [unit: string]: number } = { ms: 1, s: secondMs, m: minuteMs }

const readWithin = (name: string, written: string | undefined, mistakes: MistakeList): number => {
  if (written === undefined) return withinUnlessSaid
  const [, number = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(written) ?? []
  const length = Number(number) * (lengths[unit] ?? 0)
  if (length >= 1 && length <= longestWithin) return length
  mistakes.add(
    `${name}.answerWithin`,
    `"${written}" is not a time from 1ms to 5m.`,
    'Write a number and its unit, such as "500ms", "5s" or "1m".',
  )
  return withinUnlessSaid
}
