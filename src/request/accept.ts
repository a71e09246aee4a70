import type { PlainRequest } from '../call/exchange.ts'

/**
 * The media type that the caller prefers among the offered ones: the first of them where the caller has no preference, null where
 * it accepts none.
 */
export const preferredType = <T extends string>(
  { headers }: PlainRequest,
  offered: readonly [T, ...T[]],
): T | null => {
  const accept = String(headers.accept ?? '')
    .toLowerCase()
    .trim()
  if (accept === '' || accept === '*/*') return offered[0]
  const ranges = accept.split(',').map(readRange)
  const rated = offered.map((type) => ({ type, quality: qualityOf(type, ranges) }))
  const best = rated.reduce((first, one) => (one.quality > first.quality ? one : first))
  return best.quality > 0 ? best.type : null
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

/** RFC 9110 §12.5.1: the most specific range decides, and a weight of zero excludes. */
const qualityOf = (type: string, ranges: readonly Range[]): number => {
  const family = `${type.split('/', 1)[0]}/*`
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.findLast((one) => one.type === wanted)
    if (range) return range.quality
  }
  return 0
}
