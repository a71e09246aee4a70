import { isZod } from '../../declare/field.ts'
import type { MistakeList } from '../mistakes.ts'
import { didYouMean } from '../names/nearest.ts'
import { isJsonObject } from '../schemas/canonical.ts'

/** The form that a declared value must have. */
export interface Shape {
  /** `a list` */
  readonly description: string
  /** What may be written for the option: `['title']`. */
  readonly example?: string
  /** Whether the value has the form, without a look at its parts. */
  holds(value: unknown): boolean
  /** The value without its wrong parts, each reported as a mistake; undefined when too little is left. */
  sound?(value: unknown, where: string, mistakes: MistakeList): unknown
}

/** The usable part of a value; undefined, with a mistake, when there is none. */
const soundPart = (
  value: unknown,
  shape: Shape,
  where: string,
  mistakes: MistakeList,
  hint = `Write ${shape.description}, or leave it out.`,
): unknown => {
  if (shape.holds(value)) return shape.sound ? shape.sound(value, where, mistakes) : value
  mistakes.add(where, `it must be ${shape.description}.`, hint)
  return undefined
}

/** The same form, with an example for those who wrote something else. */
export const like = (shape: Shape, example: string): Shape => ({ ...shape, example })

export const zodSchema: Shape = { description: 'a Zod schema, such as z.string()', holds: isZod }
export const textShape: Shape = { description: 'a text', holds: (value) => typeof value === 'string' }
export const flag: Shape = { description: 'true or false', holds: (value) => typeof value === 'boolean' }
export const numberShape: Shape = { description: 'a number', holds: (value) => typeof value === 'number' }
const wholeFrom = (least: number): Shape => ({
  description: `a whole number from ${least}`,
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= least,
})
export const count = wholeFrom(0)
export const wholeFromOne = wholeFrom(1)
export const functionShape: Shape = {
  description: 'a function',
  holds: (value) => typeof value === 'function',
}
export const object: Shape = { description: 'an object', holds: isJsonObject }
export const list: Shape = { description: 'a list', holds: Array.isArray }
export const scalar: Shape = {
  description: 'a text, a number, true or false',
  holds: (value) => ['string', 'number', 'boolean'].includes(typeof value),
}
export const nullShape: Shape = { description: 'null', holds: (value) => value === null }

export const oneOf = (...words: readonly string[]): Shape => wordFrom(words, 'a choice')

/** One of some words; `noun` is what each of them is. */
export const wordFrom = (words: readonly string[], noun: string): Shape => ({
  description: words
    .map((word) => `'${word}'`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1'),
  holds: (value) => typeof value === 'string',
  sound(value, where, mistakes) {
    if (words.includes(value as string)) return value
    mistakes.add(where, `"${value}" is not ${noun}.`, didYouMean(value as string, words))
    return undefined
  },
})

export const either = (one: Shape, other: Shape): Shape => ({
  description: `${one.description} or ${other.description}`,
  holds: (value) => one.holds(value) || other.holds(value),
  sound: (value, where, mistakes) => soundPart(value, one.holds(value) ? one : other, where, mistakes),
})

/** A form with a check of its own, which gets the value without its wrong parts, and the value as it was declared. */
export const judged = <T>(
  shape: Shape,
  faultOf: (value: T, declared: T) => { readonly what: string; readonly hint: string } | null,
): Shape => ({
  ...shape,
  sound(value, where, mistakes) {
    const part = soundPart(value, shape, where, mistakes)
    const fault = part === undefined ? null : faultOf(part as T, value as T)
    if (fault === null) return part
    mistakes.add(where, fault.what, fault.hint)
    return undefined
  },
})

export const listOf = (element: Shape): Shape => ({
  ...list,
  sound(value, where, mistakes) {
    const all = value as readonly unknown[]
    // Array.from also visits the holes of a list.
    const parts = Array.from(all, (one, index) =>
      soundPart(one, element, `${where}[${index}]`, mistakes, `Write ${element.description}.`),
    ).filter((part) => part !== undefined)
    return all.length > 0 && parts.length === 0 ? undefined : parts
  },
})

/** An object whose keys are the user's own. */
export const mapOf = (each: Shape): Shape => ({
  ...object,
  sound(value, where, mistakes) {
    const may = Object.fromEntries(Object.keys(value as Options).map((key) => [key, each]))
    return soundOptions(value as Options, { may }, where, mistakes)
  },
})

export const optionsOf = (table: OptionTable): Shape => ({
  ...object,
  sound: (value, where, mistakes) => soundOptions(value as Options, table, where, mistakes),
})

type Options = { readonly [option: string]: unknown }
type Shapes = { readonly [option: string]: Shape }

/** The options of one declared thing. */
export interface OptionTable {
  readonly needs?: Shapes
  readonly may?: Shapes
  /** The noun for an option in messages, where it is not `an option`. */
  readonly noun?: string
  /** An example call, for things that are made by a function: `renameField('books', 'old', 'new')`. */
  readonly form?: string
  /** Options that the function makes of its first arguments. Nobody writes them, so no message offers them. */
  readonly ofArguments?: readonly string[]
}

/** Set by the builder functions, and not options. */
const ownKeys = ['kind', 'name']

/** What may be written for an option. Who wrote one name where a list of names belongs is shown that name in a list. */
const exampleFor = ({ description, example }: Shape, value: unknown): string | undefined =>
  description === list.description && typeof value === 'string' && /^\['[^']+'\]$/.test(example ?? '')
    ? `['${value}']`
    : example

/** The options without the wrong ones, each reported as a mistake; undefined when a required one is missing. */
export const soundOptions = (
  thing: Options,
  { needs = {}, may = {}, noun = 'an option', form, ofArguments = [] }: OptionTable,
  where: string,
  mistakes: MistakeList,
): Options | undefined => {
  const shapes = { ...needs, ...may }
  const offered = Object.keys(shapes).filter((option) => !ofArguments.includes(option))
  const rest: { [option: string]: unknown } = { ...thing }
  // The members of a text or a list that was given for the options.
  if (Object.hasOwn(thing, 0)) {
    const hint = `Write { option: value }, with one of ${offered.map((option) => `"${option}"`).join(', ')}.`
    mistakes.add(where, 'the options must be an object.', hint)
    return undefined
  }
  for (const option of Object.keys(thing)) {
    if (ownKeys.includes(option) || Object.hasOwn(shapes, option)) continue
    mistakes.add(where, `"${option}" is not ${noun}.`, didYouMean(option, offered))
    delete rest[option]
  }
  let whole = true
  for (const [option, shape] of Object.entries(shapes)) {
    const needed = Object.hasOwn(needs, option)
    const at = where === 'api' ? option : `${where}.${option}`
    const example = exampleFor(shape, thing[option])
    const written = example === undefined ? shape.description : `${option}: ${example}`
    const hint = needed ? `Write ${form ?? written}.` : `Write ${written}, or leave it out.`
    if (thing[option] !== undefined) rest[option] = soundPart(thing[option], shape, at, mistakes, hint)
    else if (needed) mistakes.add(at, 'it is missing.', hint)
    if (needed && rest[option] === undefined) whole = false
  }
  return whole ? rest : undefined
}
