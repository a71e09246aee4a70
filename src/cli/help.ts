import { type Command, commands } from './commands.ts'

export function help(): string {
  const lines = Object.values(commands).map(({ usage, does }) => `  nounkit ${usage}\n      ${does}`)
  return `Nounkit turns one file of declared nouns into an HTTP API.\n\n${lines.join('\n')}\n\nAPI is the folder of a declaration, such as examples/shop. DATABASE_URL names the store: sqlite:shop.db or postgres://…`
}

export function commandHelp({ usage, does, examples = [] }: Command): string {
  const lines = examples.map((example) => `\n    ${example}`)
  return `nounkit ${usage}\n    ${does}${lines.length > 0 ? `\n\nFor example:${lines.join('')}` : ''}`
}
