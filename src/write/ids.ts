import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(8 * 256)
let used = pool.length
let lastTime = 0
let counter = 0

/**
 * A UUIDv7 (RFC 9562): sorts by creation time. Within a millisecond a 12-bit counter keeps the order of this process, and
 * when it runs out the next millisecond is borrowed.
 */
export function newId(now: number): string {
  if (now > lastTime) {
    lastTime = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastTime++
    counter = 0
  }
  const time = lastTime.toString(16).padStart(12, '0')
  const sequence = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${idEnd()}`
}

/** The random end of a UUID, which begins with its variant. */
export function idEnd(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 8)
  used += 8
  const variant = '89ab'[Number.parseInt(random[0] ?? '0', 16) & 3]
  return `${variant}${random.slice(1, 4)}-${random.slice(4)}`
}
