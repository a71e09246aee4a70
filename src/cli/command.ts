import type { parseArgs } from 'node:util'

/** An option of a command, as `parseArgs` of node:util takes it, with what the help says about it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** What to write after it: `N`. */
  readonly value?: string
  /** Left out where it is for processes that the command starts itself: then the help does not have the option. */
  readonly does?: string
}

export interface CommandOptions {
  readonly [name: string]: CommandOption
}

/** What follows the name of a command on its line. */
export interface Given<Options extends CommandOptions> {
  readonly flags: ReturnType<typeof parseArgs<{ options: Options }>>['values']
  /** The arguments that are not options. */
  readonly words: readonly string[]
}

/** What a command's own file has. */
export interface CommandCode {
  readonly options: CommandOptions
  run(given: Given<CommandOptions>): Promise<number>
}

export interface Command {
  /** The heading of the help under which it is listed. */
  readonly group: CommandGroup
  /** The command and its arguments, without options: `diff [API] v1 v2` */
  readonly usage: string
  readonly does: string
  readonly examples: readonly string[]
  load(): Promise<CommandCode>
}

export const commandGroups = [
  'Start',
  'The declaration and its versions',
  'The store',
  'Rows',
  'Who uses what',
] as const

type CommandGroup = (typeof commandGroups)[number]

/** The option of every command that a machine may read. */
export const jsonOption = { type: 'boolean', does: 'prints JSON, for machines' } as const
