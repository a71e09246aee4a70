import fc from 'fast-check'
import { cyclesOf } from '../../src/compile/names/cycles.ts'

/** Every version takes its values from this list, so that a value of one version often means something else in another. */
const pool = ['a', 'b', 'c', 'd', 'e', 'f']

/** The arguments of `mapValues` for one step between two versions, and what it must mean. */
export interface WordStep {
  readonly values: { readonly [older: string]: string }
  readonly onlyInNewer: { readonly [newer: string]: string }
  /** Newer → older. */
  readonly down: ReadonlyMap<string, string>
  /** Older → newer: all words of the older version. */
  readonly up: ReadonlyMap<string, string>
}

/** The words of a field in each version, oldest first, with the steps between neighbours. */
export interface Words {
  readonly head: readonly string[]
  /** v1 → v2 and v2 → v3; null where the words are the same. */
  readonly steps: readonly [WordStep | null, WordStep | null]
}

interface Choices {
  readonly names: readonly string[]
  readonly keepsName: readonly boolean[]
  readonly isNew: readonly boolean[]
  readonly readsAs: readonly number[]
  readonly aliases: number
}

const eachWord = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: pool.length, maxLength: pool.length })
const shuffled = fc.shuffledSubarray(pool, { minLength: pool.length })
const choices: fc.Arbitrary<Choices> = fc.record({
  names: shuffled,
  keepsName: eachWord(fc.boolean()),
  isNew: eachWord(fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0)),
  readsAs: eachWord(fc.nat()),
  aliases: fc.integer({ min: 0, max: 1 }),
})

/** One step: some newer words keep their name, some have another, some are new, and an older word may have an alias. */
const wordStep = (newer: readonly string[], chosen: Choices): WordStep | null => {
  const own = newer.filter((_, index) => !chosen.isNew[index])
  const written = own.length > 0 ? own : newer.slice(0, 1)
  const named = new Map(written.filter((_, index) => chosen.keepsName[index]).map((word) => [word, word]))
  const isFree = (name: string) => ![...named.values()].includes(name)
  for (const word of written) if (!named.has(word)) named.set(word, chosen.names.find(isFree) ?? word)
  const up = new Map([...named].map(([word, name]) => [name, word]))
  const picked = (index: number) => written[(chosen.readsAs[index] ?? 0) % written.length] ?? ''
  const added = newer.filter((word) => !named.has(word))
  const onlyInNewer = Object.fromEntries(added.map((word, index) => [word, named.get(picked(index)) ?? '']))
  // An alias is never the newer word itself, which would then be the one that is shown.
  const aliased = picked(pool.length - 1)
  const alias = chosen.names.find((name) => isFree(name) && name !== aliased)
  if (chosen.aliases > 0 && alias !== undefined) up.set(alias, aliased)
  if (added.length === 0 && [...up].every(([name, word]) => name === word)) return null
  return {
    values: Object.fromEntries(up),
    onlyInNewer,
    down: new Map([...named, ...Object.entries(onlyInNewer)]),
    up,
  }
}

export const randomWords: fc.Arbitrary<Words> = fc
  .record({ names: shuffled, count: fc.integer({ min: 2, max: 4 }), newer: choices, older: choices })
  .map(({ names, count, newer, older }) => {
    const head = names.slice(0, count)
    const toHead = wordStep(head, newer)
    const middle = toHead ? [...toHead.up.keys()] : head
    return { head, steps: [wordStep(middle, older), toHead] } satisfies Words
  })
  .filter(({ steps }) => steps.every((step) => step === null || !changesPlaces(step)))

/** Words that change places are a mistake. */
const changesPlaces = ({ values }: WordStep): boolean =>
  cyclesOf(new Map(Object.entries(values))).some(({ length }) => length > 1)

/** A version by its index: 0 is v1, 2 is the head. */
export type At = 0 | 1 | 2

/** The steps from a version to the head, the version's own first. */
const stepsFrom = ({ steps }: Words, at: At): readonly WordStep[] =>
  steps.slice(at).filter((step) => step !== null)

export const wordShown = (words: Words, at: At, stored: string): string =>
  stepsFrom(words, at).reduceRight((word, step) => step.down.get(word) ?? word, stored)

/** The stored word for one that a version has; undefined where the version has no such word. */
export const wordStored = (words: Words, at: At, sent: unknown): string | undefined => {
  if (typeof sent !== 'string') return undefined
  let word: string | undefined = sent
  for (const step of stepsFrom(words, at)) word = word === undefined ? undefined : step.up.get(word)
  return word !== undefined && words.head.includes(word) ? word : undefined
}

/** All words that some version has. */
export const everyWord = pool
