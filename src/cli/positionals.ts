import { CommandMistake } from './command-mistake.ts'

/** The arguments that are not options. More than the command takes are refused, because one of them is likely a mistake. */
export function positionalsUpTo(positionals: readonly string[], most: number): readonly string[] {
  const extra = positionals[most]
  if (extra === undefined) return positionals
  throw new CommandMistake(`"${extra}" is one argument too many. Add --help to see what the command takes.`)
}
