import { fileURLToPath } from 'node:url'
import { paint } from './colour.ts'
import { type Command, type CommandOption, type CommandOptions, commandGroups } from './command.ts'
import { commands } from './commands.ts'

/** All commands, by group. */
export function help(): string {
  const all = Object.values(commands)
  const groups = commandGroups.map((group) => {
    const rows = all
      .filter((command) => command.group === group)
      .map(({ usage, does }) => [usage, does] as const)
    return `${paint('bold', group)}\n${columns(rows, widest(all.map(({ usage }) => usage)))}`
  })
  return [
    'Nounkit turns one file of declared nouns into an HTTP API.',
    'nounkit COMMAND [API] [options]',
    ...groups,
    `API is the folder of a declaration, the current one if it is left out. DATABASE_URL names the store: sqlite:shop.db or postgres://…\nnounkit help COMMAND lists the options of a command, and examples.\n\nDocuments: ${fileURLToPath(new URL('../../docs', import.meta.url))}`,
  ].join('\n\n')
}

/** One command, with its options and examples. */
export function commandHelp({ usage, does, examples }: Command, options: CommandOptions): string {
  const rows = Object.entries(options).flatMap(([name, option]) =>
    option.does === undefined ? [] : [[optionText(name, option), option.does] as const],
  )
  const all = [...rows, ['-h, --help', 'prints this'] as const]
  return [
    `nounkit ${usage}${rows.length > 0 ? ' [options]' : ''}\n  ${does}`,
    `${paint('bold', 'Options')}\n${columns(all, widest(all.map(([option]) => option)))}`,
    `${paint('bold', 'Examples')}\n${examples.map((example) => `  ${example}`).join('\n')}`,
  ].join('\n\n')
}

const optionText = (name: string, { short, value }: CommandOption): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`

const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length))

/** A text that is far longer than the others has a line of its own. */
const mostWidth = 36

function columns(rows: readonly (readonly [string, string])[], wanted: number): string {
  const width = Math.min(wanted, mostWidth)
  return rows
    .map(([left, right]) =>
      left.length > width
        ? `  ${left}\n  ${' '.repeat(width)}  ${right}`
        : `  ${left.padEnd(width)}  ${right}`,
    )
    .join('\n')
}
