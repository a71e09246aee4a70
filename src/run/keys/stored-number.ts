import { hash } from 'node:crypto'

const bytes = 6

/**
 * The number of 48 bits that stands for a key in the store: the same in every process, and such that nobody can make many keys
 * that share one.
 */
export function storedNumber(account: string, key: string): number {
  const digest = hash('sha256', `${account}\n${key}`, 'latin1')
  let number = 0
  for (let at = 0; at < bytes; at++) number = number * 256 + digest.charCodeAt(at)
  return number
}
