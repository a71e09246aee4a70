/** An error in a declaration. */
export interface Mistake {
  /** `orders.include` */
  readonly where: string
  readonly what: string
  /** What to write instead. */
  readonly hint: string
}

/** All mistakes of one declaration, thrown together once everything was checked. */
export class Mistakes extends Error {
  readonly list: readonly Mistake[]
  readonly file: string | null

  constructor(list: readonly Mistake[], file: string | null = null, why?: ErrorOptions) {
    super(list.map((mistake) => line(mistake, file)).join('\n'), why)
    this.name = 'Mistakes'
    this.list = list
    this.file = file
  }
}

const line = ({ where, what, hint }: Mistake, file: string | null): string =>
  `${where}: ${what} ${hint}${file === null ? '' : ` (${file})`}`

/** Adds a mistake. Returns null, for functions whose result is null after a mistake. */
export type Note = (what: string, hint: string) => null

/** Collects mistakes while a declaration is compiled, each once. */
export interface MistakeList {
  /** Returns null, for functions whose result is null after a mistake. */
  add(where: string, what: string, hint: string): null
  /** Adds mistakes at one place. */
  at(where: string): Note
  readonly all: readonly Mistake[]
}

export const mistakeList = (): MistakeList => {
  const all: Mistake[] = []
  const add: MistakeList['add'] = (where, what, hint) => {
    if (!all.some((known) => known.where === where && known.what === what)) all.push({ where, what, hint })
    return null
  }
  return { all, add, at: (where) => (what, hint) => add(where, what, hint) }
}

/** Whether a check ends without a mistake. */
export const passes = (note: Note, check: (note: Note) => void): boolean => {
  let isSound = true
  check((what, hint) => {
    isSound = false
    return note(what, hint)
  })
  return isSound
}

/** A value of any type as a message shows it. JSON has no form for some of them, such as a bigint. */
export const shownValue = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ??
  typeof value
