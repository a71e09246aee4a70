import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { Caller } from '../call/caller.ts'
import { type Alternatives, type Filter, type SortKey, type SortPosition, sortText } from '../call/query.ts'
import { claimsOfRule } from '../call/read-rights.ts'
import type { Target } from '../call/target.ts'
import type { View, ViewField } from '../compile/model.ts'
import { problem } from '../problems.ts'

/** Characters of the seal, in base64url: 132 bits. */
const macLength = 22

/** Seals positions so that a cursor can only be used where it was made. The secret lives in the store. */
export interface CursorSeal {
  /** `position` is JSON, as the store wrote it. */
  seal(position: string, bound: string): string
  open(cursor: string, bound: string, keys: number): SortPosition
  /** A cursor that says nothing about its number, not even whether another cursor has the same. */
  hide(position: number, bound: string): string
  reveal(cursor: string, bound: string): number
  /** The same for an id of 36 characters. */
  hideId(id: string, bound: string): string
  revealId(cursor: string, bound: string): string
}

const cipher = 'aes-256-gcm'
const [nonceLength, tagLength, numberLength, idLength] = [12, 16, 8, 36]

export function createCursorSeal(secret: string): CursorSeal {
  const key = createSecretKey(Buffer.from(secret))
  const hidingKey = Buffer.from(hkdfSync('sha256', secret, '', 'hidden positions', 32))
  const sealed = (position: string, bound: string): string => {
    const mac = createHmac('sha256', key).update(`${bound}\0${position}`).digest('base64url')
    return mac.slice(0, macLength) + Buffer.from(position).toString('base64url')
  }
  return {
    seal: sealed,
    open(cursor, bound, keys) {
      const position = Buffer.from(cursor.slice(macLength), 'base64url').toString()
      // The whole text is compared: base64 decoding skips what is no base64, and a trailing bit can be flipped unseen.
      if (!isSameText(cursor, sealed(position, bound))) throw badCursor()
      const keysOfRow = JSON.parse(position) as SortPosition
      if (keysOfRow.length !== keys) throw badCursor()
      return keysOfRow
    },
    hide(position, bound) {
      const number = Buffer.alloc(numberLength)
      number.writeBigUInt64BE(BigInt(position))
      return hidden(hidingKey, number, bound)
    },
    reveal: (cursor, bound) => Number(revealed(hidingKey, cursor, bound, numberLength).readBigUInt64BE()),
    hideId: (id, bound) => hidden(hidingKey, Buffer.from(id), bound),
    revealId: (cursor, bound) => revealed(hidingKey, cursor, bound, idLength).toString(),
  }
}

function hidden(key: Buffer, bytes: Buffer, bound: string): string {
  const nonce = randomBytes(nonceLength)
  const hiding = createCipheriv(cipher, key, nonce, { authTagLength: tagLength })
  const text = hiding.setAAD(Buffer.from(bound)).update(bytes)
  hiding.final()
  return Buffer.concat([nonce, hiding.getAuthTag(), text]).toString('base64url')
}

function revealed(key: Buffer, cursor: string, bound: string, length: number): Buffer {
  const bytes = Buffer.from(cursor, 'base64url')
  const isWhole = bytes.length === nonceLength + tagLength + length
  // Base64 decoding skips what is no base64.
  if (!isWhole || bytes.toString('base64url') !== cursor) throw badCursor()
  const [tag, text] = [bytes.subarray(nonceLength, -length), bytes.subarray(-length)]
  const nonce = bytes.subarray(0, nonceLength)
  const revealing = createDecipheriv(cipher, key, nonce, { authTagLength: tagLength })
  const found = revealing.setAAD(Buffer.from(bound)).setAuthTag(tag).update(text)
  try {
    revealing.final()
  } catch {
    throw badCursor()
  }
  return found
}

/** In constant time, so that a seal cannot be guessed character by character. */
const isSameText = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const badCursor = (): Error =>
  problem('bad-cursor', {
    detail:
      'The cursor was altered, or belongs to another collection, account, version, sort, filter or search.',
    errors: [
      { parameter: 'cursor', detail: 'does not fit this request; start from the first page', code: 'cursor' },
    ],
  })

/** All that a cursor is bound to; `order` is the list's sort and filters in words, `filteredBy` are the views that these lead to. */
export function cursorBound(
  caller: Caller,
  target: { readonly version: { readonly name: string } } & Pick<Target, 'view' | 'sub' | 'ownerId'>,
  order: string,
  filteredBy: readonly View[] = [],
): string {
  const { version, view, sub, ownerId } = target
  const join = sub?.relation.join ? [sub.relation.join()] : []
  const owner = sub ? `${sub.owner().name}/` : ''
  const names = `${version.name}/${owner}${view.name}/${sub?.segment ?? ''}`
  // Lengths are included, so that no account or id can be chosen to look like a shorter one and the text after it.
  const { account } = caller
  return `${account.length} ${account} ${names} ${ownerId?.length ?? ''} ${ownerId ?? ''} ${order}${[view, ...join, ...filteredBy].map((one) => claimsOfRule(one, caller)).join('')}`
}

/** A sort and filters in the version's own words; the order in which filters and alternatives were written does not matter. */
export function orderText(
  sort: readonly SortKey[],
  filters: readonly Filter[],
  either: Alternatives = [],
  by: readonly ViewField[] = [],
): string {
  const alternatives = either.map((conditions) => JSON.stringify(wordsOf(conditions))).sort()
  const words = [...wordsOf(filters), ...(alternatives.length > 0 ? [`or ${alternatives.join(' ')}`] : [])]
  const groups = by.length > 0 ? `by ${by.map(({ name }) => name).join(',')} ` : ''
  return `${groups}${sortText(sort)} ${words.join(' ')}`
}

const wordsOf = (filters: readonly Filter[]): readonly string[] =>
  filters.map((filter) => JSON.stringify([filter.name, filter.operator, filter.shown])).sort()
