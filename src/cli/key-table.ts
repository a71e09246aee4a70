import { isActive } from '../guard/key-ring.ts'
import type { StoredKey } from '../guard/key-rows.ts'
import { dayOf } from '../times.ts'
import { aligned } from './aligned.ts'
import { paint } from './colour.ts'

const heading = [
  'ACCOUNT',
  'NAME',
  'ID',
  'KEY',
  'KIND',
  'SCOPES',
  'SUBJECT',
  'CLAIMS',
  'MADE',
  'STATE',
  'CONTACT',
]

/** Keys as a table of text. */
export const keyLines = (keys: readonly StoredKey[], now: number, showsAccounts: boolean): string => {
  const all = [heading, ...keys.map((key) => cells(key, now))]
  const rows = showsAccounts ? all : all.map(([, ...others]) => others)
  const [head = '', ...lines] = aligned(rows)
  return [paint('bold', head), ...lines].join('\n')
}

const cells = (key: StoredKey, now: number): string[] => [
  key.account,
  key.name,
  key.id,
  `${key.prefix}…`,
  key.kind,
  key.scopes.join(','),
  key.subject ?? '',
  Object.keys(key.claims).length === 0 ? '' : JSON.stringify(key.claims),
  dayOf(key.createdAt),
  state(key, now),
  key.contact ?? '',
]

const state = (key: StoredKey, now: number): string => {
  if (key.revokedAt !== null) return `revoked ${dayOf(key.revokedAt)}`
  if (key.expiresAt === null) return 'active'
  return `${isActive(key, now) ? 'active until' : 'expired'} ${keyTime(key.expiresAt)}`
}

/** A time beyond JavaScript's last date must not make the whole list fail. */
export const keyTime = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? 'after the last date there is' : `${date.toISOString().slice(0, -8)}Z`
}
