import { timingSafeEqual } from 'node:crypto'
import { problem } from '../problems.ts'
import type { Filter } from './filter.ts'
import { createMac } from './mac.ts'
import { RecentCursors } from './recent-cursors.ts'
import type { Target } from './route.ts'
import { type SortKey, sortText } from './sort.ts'

/** What the sort keys of the last row seen were compared by. */
export type Position = readonly (string | number | boolean | null)[]

/** Of the seal, in base64url: 132 bits. */
const macLength = 22
/** What nearly every position fits in. */
const scratchBytes = 1_024

/** Seals positions so that a cursor can only be used where it was made. The secret lives in the store. */
export interface CursorSeal {
  /** `position` is JSON, as the store wrote it. */
  seal(position: string, bound: string): string
  open(cursor: string, bound: string, keys: number): Position
}

export function createCursorSeal(secret: string): CursorSeal {
  const sign = createMac(secret)
  const mac = (bound: string, position: string): string => sign(`${bound}\0${position}`).slice(0, macLength)
  const scratch = Buffer.alloc(scratchBytes)
  const given = Buffer.alloc(macLength)
  const expected = Buffer.alloc(macLength)
  const recent = new RecentCursors()

  /** The position of a cursor that we made. */
  const verified = (cursor: string, bound: string): string => {
    const text = cursor.slice(macLength)
    const bytes = text.length <= scratchBytes ? scratch : Buffer.alloc(text.length)
    const length = bytes.write(text, 'base64url')
    const position = bytes.toString('utf8', 0, length)
    given.fill(0).write(cursor, 'latin1')
    expected.write(mac(bound, position), 'latin1')
    const isOurs = timingSafeEqual(given, expected)
    // What is no base64 is skipped, and a trailing bit can be flipped: only the very text we made is ours.
    if (!isOurs || bytes.toString('base64url', 0, length) !== text) throw badCursor()
    recent.keep(cursor, position, bound)
    return position
  }

  return {
    seal(position, bound) {
      const known = recent.sealed(position, bound)
      if (known) return known
      const bytes = position.length * 3 <= scratchBytes ? scratch : Buffer.alloc(position.length * 3)
      const length = bytes.write(position)
      const cursor = mac(bound, position) + bytes.toString('base64url', 0, length)
      recent.keep(cursor, position, bound)
      return cursor
    },
    open(cursor, bound, keys) {
      const position = JSON.parse(recent.opened(cursor, bound) ?? verified(cursor, bound)) as Position
      if (position.length !== keys) throw badCursor()
      return position
    },
  }
}

export const badCursor = (): Error =>
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
  // With their lengths, so that no account or id can be written to read as another and what follows it.
  return `${account.length} ${account} ${names} ${ownerId?.length ?? ''} ${ownerId ?? ''} ${order}`
}

/** A sort and filters in the version's own words; the order in which filters were written does not matter. */
export function orderText(sort: readonly SortKey[], filters: readonly Filter[]): string {
  const words = filters.map((filter) => JSON.stringify([filter.name, filter.operator, filter.shown]))
  return `${sortText(sort)} ${words.sort().join(' ')}`
}
