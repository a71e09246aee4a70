import type { PlainRequest } from '../request/exchange.ts'

/** Of the media types a page can have, the one the caller likes most; the first where it does not care. */
export const preferred = <T extends string>({ headers }: PlainRequest, offered: readonly [T, ...T[]]): T => {
  const accept = headers.accept
  if (accept === undefined) return offered[0]
  const ranges = String(accept).toLowerCase().split(',').map(readRange)
  const rated = offered.map((type) => ({ type, quality: qualityOf(type, ranges) }))
  return rated.reduce((best, one) => (one.quality > best.quality ? one : best)).type
}

interface Range {
  readonly type: string
  readonly quality: number
}

const readRange = (text: string): Range => {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
}

/** RFC 9110 §12.5.1: the most specific range decides. */
const qualityOf = (type: string, ranges: readonly Range[]): number => {
  const family = `${type.split('/', 1)[0]}/*`
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.find((one) => one.type === wanted)
    if (range) return range.quality
  }
  return 0
}
