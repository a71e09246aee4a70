import { createRequire } from 'node:module'
import { nearest } from '../compile/nearest.ts'
import { type Command, commands } from './commands.ts'
import { commandHelp, help } from './help.ts'

/** The path is the same from src/cli and from dist/cli. */
const packageVersion = (): string => createRequire(import.meta.url)('../../package.json').version

/** Runs a command line and gives its exit code. Prints with `console`, so that a test can run it within its own process. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console.log(help())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    console.log(packageVersion())
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    const near = nearest(name, Object.keys(commands))
    console.error(
      `There is no command "${name}".${near ? ` Did you mean "${near}"?` : ''} nounkit help lists all.`,
    )
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(commandHelp(command))
    return 0
  }
  try {
    return await command.run(rest)
  } catch (error) {
    console.error(await failure(error, command))
    return 1
  }
}

/** A user's mistake is shown as a sentence. Any other error is a bug of ours and is shown with its stack. */
async function failure(error: unknown, command: Command): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    return `${argumentMistake(error.message, command.usage)}\nUsage: nounkit ${command.usage}`
  }
  const { isUserMistake } = await import('./user-mistakes.ts')
  return isUserMistake(error) ? error.message : (error.stack ?? error.message)
}

/** Replaces Node's long advice on an unknown option by the nearest option. */
function argumentMistake(message: string, usage: string): string {
  const [text, option] = /^Unknown option '(-[^']+)'/.exec(message) ?? []
  if (!text || !option) return message
  const near = nearest(option, usage.match(/--[\w-]+/g) ?? [])
  return near ? `${text}. Did you mean "${near}"?` : `${text}.`
}
