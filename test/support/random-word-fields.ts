import fc from 'fast-check'
import { z } from 'zod'
import { type Change, mapValues } from '../../src/declare/change.ts'
import { open, states } from '../../src/declare/field.ts'
import { type Mark, marked, type RandomField, why } from './random-field.ts'
import { type At, everyWord, randomWords, type Words, wordShown, wordStored } from './random-words.ts'

const mapped =
  ({ steps }: Words) =>
  (at: 0 | 1, name: string): readonly Change[] => {
    const step = steps[at]
    if (!step) return []
    const { values, onlyInNewer } = step
    return [mapValues('things', name, values, { onlyInNewer, why })]
  }

/** The values that a version shows as this word; for a word that is never shown, the one it would write. */
const foundBy =
  ({ stored, shown, read }: Pick<RandomField, 'stored' | 'shown' | 'read'>) =>
  (at: At, text: string) => {
    const written = read(at, text)
    if (written === undefined) return undefined
    const isShown = stored.some((one) => shown(at, one) === text)
    return (one: unknown) => (isShown ? shown(at, one) === text : one === written)
  }

const wordsOf = (words: Words) => ({
  changes: mapped(words),
  stored: words.head,
  shown: (at: At, stored: unknown) => wordShown(words, at, String(stored)),
  read: (at: At, sent: unknown) => wordStored(words, at, sent),
  sent: everyWord,
})

export const enumField = fc
  .record({
    words: randomWords,
    mark: fc.constantFrom<Mark>('plain', 'plain', 'immutable', 'readOnly', 'writeOnly'),
  })
  .map(({ words, mark }): RandomField => {
    const schema = marked(mark, z.enum(words.head))
    return {
      mark,
      declared: { frozen: schema, now: schema },
      ...wordsOf(words),
      ...(mark === 'writeOnly' ? {} : { finds: foundBy(wordsOf(words)) }),
    }
  })

type Arrows = { readonly [from: string]: readonly string[] }

/** Every state is reached from the first; then more moves, of which some came only after the older versions were frozen. */
export const stateField = fc
  .record({
    words: randomWords,
    reachedFrom: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    first: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 }),
    later: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 3 }),
  })
  .map(({ words, reachedFrom, first, later }): RandomField => {
    const { head } = words
    const word = (index: number) => head[index % head.length] ?? ''
    const tree = head
      .slice(1)
      .map((to, index) => [word((reachedFrom[index] ?? 0) % (index + 1)), to] as const)
    const arrows = (pairs: readonly (readonly [string, string])[]): Arrows =>
      Object.fromEntries(
        head
          .map((from) => [
            from,
            head.filter((to) => to !== from && pairs.some(([a, b]) => a === from && b === to)),
          ])
          .filter(([, to]) => to?.length),
      )
    const named = (pairs: readonly (readonly [number, number])[]) =>
      pairs.map(([from, to]) => [word(from), word(to)] as const)
    const frozen = arrows([...tree, ...named(first)])
    const now = arrows([...tree, ...named(first), ...named(later)])
    return {
      mark: 'state',
      declared: { frozen: states(word(0), frozen), now: states(word(0), now) },
      ...wordsOf(words),
      moves: (at, from, to) =>
        at === 2 ? (now[from] ?? []).includes(to) : movesIn(words, at, frozen, from, to),
      finds: foundBy(wordsOf(words)),
    }
  })

/** A version can move where what it writes is a move, in the next newer version, of something it reads. */
const movesIn = (words: Words, at: At, head: Arrows, from: string, to: string): boolean => {
  if (at === 2) return (head[from] ?? []).includes(to)
  const step = words.steps[at]
  const newer = at === 0 ? 1 : 2
  if (!step) return movesIn(words, newer, head, from, to)
  const behind = [...step.down].filter(([, image]) => image === from)
  const writes = step.up.get(to)
  return (
    from !== to && writes !== undefined && behind.some(([one]) => movesIn(words, newer, head, one, writes))
  )
}

/** An enum that may grow: older versions show the new words, and take only those that they were frozen with. */
export const openField = fc.constantFrom(1, 2, 3).map((known): RandomField => {
  const words = ['a', 'b', 'c', 'd']
  const declared = (count: number) => open(z.enum(words.slice(0, count)))
  const values: Pick<RandomField, 'stored' | 'shown' | 'read'> = {
    stored: words,
    shown: (_, stored) => stored,
    read: (at, sent) => words.slice(0, at === 2 ? words.length : known).find((word) => word === sent),
  }
  return {
    mark: 'plain',
    declared: { frozen: declared(known), now: declared(words.length) },
    changes: () => [],
    ...values,
    sent: everyWord,
    finds: foundBy(values),
  }
})
