import { styleText } from 'node:util'

export const warn = (sentence: string): void =>
  console.error(`${styleText('yellow', 'Warning:', { stream: process.stderr })} ${sentence}`)
