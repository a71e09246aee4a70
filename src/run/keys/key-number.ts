import { randomInt } from 'node:crypto'

/** Another for each process, so that nobody can make keys that share a number. */
const seed = randomInt(2 ** 30)

/**
 * A number that stands for a key within this process, and hardly ever for another one too. V8 enters every text that a map is asked for into a table
 * of its own, and most keys come once.
 */
export function keyNumber(key: string): number {
  let number = seed
  for (let at = 0; at < key.length; at++) {
    number = Math.imul(number ^ key.charCodeAt(at), 0x9e37_79b1)
    number ^= number >>> 15
  }
  return number & 0x3fff_ffff
}
