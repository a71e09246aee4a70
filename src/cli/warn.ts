import { paintError } from './colour.ts'

export const warn = (sentence: string): void =>
  console.error(`${paintError('yellow', 'Warning:')} ${sentence}`)
