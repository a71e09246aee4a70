import type { Value } from '../store/store.ts'

export const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The JSON of a time, in milliseconds. */
export function timeOf(json: Value | undefined): number | null {
  const text = JSON.parse(String(json)) as string | null
  return text === null ? null : Date.parse(text)
}
