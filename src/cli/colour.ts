import { styleText } from 'node:util'

/** Text in a colour or weight where standard output is a terminal. `NO_COLOR` and `FORCE_COLOR` are respected. */
export const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout })
