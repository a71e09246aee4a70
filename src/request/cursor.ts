import { timingSafeEqual } from 'node:crypto'
import { problem } from '../problems.ts'
import type { Filter } from './filter.ts'
import { createMac } from './mac.ts'
import type { Target } from './route.ts'
import { type SortKey, sortText } from './sort.ts'

/** The sort keys of the last row seen, in the store's terms. */
export type Position = readonly (string | number | boolean | null)[]

const macBytes = 16
/** What nearly every position fits in. */
const scratchBytes = 1_024

/** Seals positions so that a cursor can only be used where it was made. The secret lives in the store. */
export interface CursorSeal {
  seal(position: Position, bound: string): string
  open(cursor: string, bound: string, keys: number): Position
}

export function createCursorSeal(secret: string): CursorSeal {
  const sign = createMac(secret)
  const mac = (bound: string, payload: string): string => sign(`${bound}\0${payload}`).slice(0, macBytes)
  const scratch = Buffer.alloc(scratchBytes)
  const expected = Buffer.alloc(macBytes)
  return {
    seal(position, bound) {
      const payload = JSON.stringify(position)
      const bytes = macBytes + Buffer.byteLength(payload)
      const sealed = bytes <= scratchBytes ? scratch : Buffer.alloc(bytes)
      sealed.write(mac(bound, payload), 'latin1')
      sealed.write(payload, macBytes)
      return sealed.toString('base64url', 0, bytes)
    },
    open(cursor, bound, keys) {
      const bytes = cursor.length <= scratchBytes ? scratch : Buffer.alloc(cursor.length)
      const length = bytes.write(cursor, 'base64url')
      const payload = bytes.toString('utf8', macBytes, length)
      expected.write(mac(bound, payload), 'latin1')
      const sealed = length > macBytes && timingSafeEqual(bytes.subarray(0, macBytes), expected)
      const position = sealed ? (JSON.parse(payload) as Position) : []
      // What is no base64 is skipped, and a trailing bit can be flipped: only the very text we made is ours.
      if (position.length !== keys || bytes.toString('base64url', 0, length) !== cursor) throw badCursor()
      return position
    },
  }
}

const badCursor = (): Error =>
  problem('bad-cursor', {
    detail: 'The cursor was altered, or belongs to another collection, account, version, sort or filter.',
    errors: [
      { parameter: 'cursor', detail: 'does not fit this request; start from the first page', code: 'cursor' },
    ],
  })

/** All that a cursor is bound to; `order` is the list's sort and filters in words. */
export function cursorBound(
  account: string,
  target: { readonly version: { readonly name: string } } & Pick<Target, 'view' | 'sub' | 'ownerId'>,
  order: string,
): string {
  const { version, view, sub, ownerId } = target
  const names = `${version.name}/${view.name}/${sub?.segment ?? ''}`
  return `${JSON.stringify(account)} ${names} ${JSON.stringify(ownerId)} ${order}`
}

/** A sort and filters in words; the order in which filters were written does not matter. */
export function orderText(sort: readonly SortKey[], filters: readonly Filter[]): string {
  const words = filters.map((filter) => JSON.stringify([filter.name, filter.operator, filter.values]))
  return `${sortText(sort)} ${words.sort().join(' ')}`
}
