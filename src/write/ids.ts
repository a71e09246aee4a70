import { randomFillSync } from 'node:crypto'

const endBytes = 8
const random = Buffer.alloc(endBytes * 256)
/** The same in hexadecimal. It is made of all bytes at once, because a call into native code takes longer than the rest of an id. */
let digits = ''
let used = 0
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
  return uuidV7(lastTime, counter, idEnd())
}

let entryTime = 0
let entryCounter = 0

/** The id of what is found by its time: it has the time of the clock also where that was set back. Within a millisecond a counter keeps the order. */
export function newIdOfTime(now: number): string {
  entryCounter = now === entryTime ? Math.min(entryCounter + 1, 0xfff) : 0
  entryTime = now
  return uuidV7(now, entryCounter, idEnd())
}

/** The first half of the last id. Rows of a list have the same time: to keep it saves 0.5 µs of the 10 that a row of a list takes. */
let begun = { at: -1, text: '' }

/** A UUID v7 from a time in milliseconds, a count below 4,096 and a random end. */
export function uuidV7(time: number, count: number, end: string): string {
  if (time !== begun.at) {
    const ms = time.toString(16).padStart(12, '0')
    begun = { at: time, text: `${ms.slice(0, 8)}-${ms.slice(8)}-7` }
  }
  return `${begun.text}${count.toString(16).padStart(3, '0')}-${end}`
}

/** The random end of a UUID, which begins with its variant. */
export function idEnd(): string {
  if (used === digits.length) {
    randomFillSync(random)
    for (let at = 0; at < random.length; at += endBytes) random[at] = 0x80 | ((random[at] ?? 0) & 0x3f)
    digits = random.toString('hex')
    used = 0
  }
  const from = used
  used += 2 * endBytes
  return `${digits.slice(from, from + 4)}-${digits.slice(from + 4, used)}`
}
