import type { Recent } from './recent.ts'

/** Numbers and places have 48 bits. */
const half = 6
const pair = 2 * half

/** As text they fill a page of the database, and no more. */
const pairsPerPage = 250

/** Pairs in the order of their numbers, as the texts of pages. Those that share a number are on one page. */
export function writePages(pairs: readonly Recent[]): readonly string[] {
  const pages: string[] = []
  for (let from = 0, to = 0; from < pairs.length; from = to) {
    to = Math.min(from + pairsPerPage, pairs.length)
    while (to < pairs.length && pairs[to]?.[0] === pairs[to - 1]?.[0]) to++
    pages.push(writePage(pairs.slice(from, to)))
  }
  return pages
}

function writePage(pairs: readonly Recent[]): string {
  const bytes = Buffer.allocUnsafe(pairs.length * pair)
  pairs.forEach(([number, place], at) => {
    bytes.writeUIntBE(number, at * pair, half)
    bytes.writeUIntBE(place, at * pair + half, half)
  })
  return bytes.toString('base64')
}

export function numbersOn(page: string): readonly number[] {
  const bytes = Buffer.from(page, 'base64')
  return Array.from({ length: bytes.length / pair }, (_, at) => bytes.readUIntBE(at * pair, half))
}

export function placesOn(page: string, number: number): readonly number[] {
  const bytes = Buffer.from(page, 'base64')
  const places: number[] = []
  for (let at = 0; at < bytes.length; at += pair)
    if (bytes.readUIntBE(at, half) === number) places.push(bytes.readUIntBE(at + half, half))
  return places
}
