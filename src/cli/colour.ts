import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Text in a colour or weight where standard output is a terminal. `NO_COLOR` and `FORCE_COLOR` are respected. */
export const paint = (format: Format, text: string): string =>
  styleText(format, text, { stream: process.stdout })

/** The same for standard error. */
export const paintError = (format: Format, text: string): string =>
  styleText(format, text, { stream: process.stderr })
