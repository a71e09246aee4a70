import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { didYouMean, nearest } from '../compile/names/nearest.ts'
import type { Command, CommandCode } from './command.ts'
import { LoadMistake, UsageMistake } from './command-mistake.ts'
import { commands } from './commands.ts'
import { commandHelp, help } from './help.ts'

/** The path is the same from src/cli and from dist/cli. */
const packageVersion = (): string => createRequire(import.meta.url)('../../package.json').version

/** Runs a command line and gives its exit code. Prints with `console`, so that a test can run it within its own process. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === '--version' || name === '-v') {
    console.log(packageVersion())
    return 0
  }
  const asksHelp = name === 'help' || name === '--help' || name === '-h'
  // `nounkit help help` asks for the same as `nounkit help`.
  const wanted = asksHelp ? rest.find((arg) => !arg.startsWith('-') && arg !== 'help') : name
  if (wanted === undefined) {
    console.log(help())
    return asksHelp ? 0 : wrongUsage
  }
  const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined
  if (!command) {
    console.error(unknownCommand(wanted))
    return wrongUsage
  }
  const code = await command.load()
  if (asksHelp || rest.includes('--help') || rest.includes('-h')) {
    console.log(commandHelp(command, code.options))
    return 0
  }
  return runLoaded(wanted, command, code, rest)
}

const wrongUsage = 2

function unknownCommand(name: string): string {
  const near = nearest(name, [...Object.keys(commands), 'help'])
  return `There is no command "${name}".${near ? ` Did you mean "${near}"?` : ''} nounkit help lists all.`
}

async function runLoaded(name: string, command: Command, code: CommandCode, args: string[]): Promise<number> {
  try {
    const { values: flags, positionals: words } = parseArgs({
      args,
      options: code.options,
      allowPositionals: true,
    })
    return await code.run({ flags, words })
  } catch (error) {
    const wrong = usageText(error, code)
    if (wrong === null) {
      console.error(await failureText(error))
      return 1
    }
    console.error(`${wrong}\nUsage: nounkit ${command.usage}. nounkit help ${name} has more.`)
    return wrongUsage
  }
}

/** What is wrong with the command line itself, or null for any other error. */
function usageText(error: unknown, { options }: CommandCode): string | null {
  if (error instanceof UsageMistake) return error.message
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))
    return null
  const [text, option = ''] = /^Unknown option '(-[^']+)'/.exec(error.message) ?? []
  if (!text) return error.message
  const names = Object.keys(options)
    .filter((one) => options[one]?.does !== undefined)
    .map((one) => `--${one}`)
  return names.length === 0 ? `${text}. The command has no options.` : `${text}. ${didYouMean(option, names)}`
}

/** A user's mistake is shown as a sentence, one in a declaration with its place and code. Any other error is a bug of ours and is shown with its stack. */
async function failureText(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  const { isUserMistake } = await import('./user-mistakes.ts')
  const { Mistakes } = await import('../compile/mistakes.ts')
  const main = error instanceof LoadMistake ? error.path : error instanceof Mistakes ? error.file : null
  if (main !== null) {
    const [{ errorText }, { textsFrom }] = await Promise.all([
      import('./mistake-places/error-text.ts'),
      import('./mistake-places/imported-files.ts'),
    ])
    const path = resolve(main)
    return errorText(error, { files: textsFrom(path), main: path })
  }
  return isUserMistake(error) ? error.message : (error.stack ?? error.message)
}
