/** Who does what a command does, as it is recorded: the name of `--by`, or the user who runs the command. */
export const operatorOfCommand = (by?: string): string | null =>
  by || process.env.USER || process.env.LOGNAME || null
