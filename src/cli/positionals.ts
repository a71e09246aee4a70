import { UsageMistake } from './command-mistake.ts'
import { isDeclarationAt } from './load.ts'

/** The arguments that are not options. More than the command takes are refused, because one of them is likely a mistake. */
export function positionalsUpTo(positionals: readonly string[], most: number): readonly string[] {
  const extra = positionals[most]
  if (extra === undefined) return positionals
  throw new UsageMistake(`"${extra}" is one argument too many.`)
}

/** The API, undefined where it is left out, and at most `most` arguments after it. */
export function apiAnd(
  positionals: readonly string[],
  most: number,
): readonly [place: string | undefined, ...rest: (string | undefined)[]] {
  const [first, ...rest] = positionalsUpTo(positionals, most + 1)
  const isPlace = positionals.length > most || (first !== undefined && namesPlace(first))
  return isPlace ? [first, ...rest] : [undefined, ...positionals]
}

/** A path, or the name of a folder with a declaration. `v2` and `GET /v2/orders` are neither. */
const namesPlace = (text: string): boolean =>
  isDeclarationAt(text) || (/[\\/]|^\.+$/.test(text) && !/^([A-Z]+ )?\//.test(text))
