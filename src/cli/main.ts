import { runCommand } from './run-command.ts'

/** The event loop is empty before the command has finished. Node alone would exit with code 13 and a warning. */
const giveUp = (): void => {
  console.error(
    'The command waits for something that never happens. Does the declaration have a top-level await that never settles?',
  )
  process.exit(1)
}

process.once('beforeExit', giveUp)
process.exitCode = await runCommand(process.argv.slice(2))
process.off('beforeExit', giveUp)
