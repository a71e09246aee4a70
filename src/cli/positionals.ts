import { CommandMistake } from './command-mistake.ts'

/** The words of a command line that are no options; one that nobody asked for would hide a mistake if it were ignored. */
export function positionalsUpTo(positionals: readonly string[], most: number): readonly string[] {
  const extra = positionals[most]
  if (extra === undefined) return positionals
  throw new CommandMistake(`"${extra}" is one word too many. Add --help to see what the command takes.`)
}
