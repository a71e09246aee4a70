import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP's Password Storage Cheat Sheet: 2^15, 8, 3 takes 32 MiB and as long as 2^17, 8, 1 with 128 MiB. */
const cost = { N: 2 ** 15, r: 8, p: 3 } as const
const maxmem = 64 * 2 ** 20
const hashBytes = 32

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** `scrypt:32768:8:3:{salt}:{hash}`, both in base64url: the costs may be raised later. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16)
  const hash = await derive(password.normalize('NFKC'), salt, hashBytes, { ...cost, maxmem })
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join(':')
}

/** What a password is compared with where there is none, so that an unknown name takes as long as a known one. No password has this hash. */
const nobody = [
  'scrypt',
  cost.N,
  cost.r,
  cost.p,
  'nobody',
  Buffer.alloc(hashBytes).toString('base64url'),
].join(':')

/** Whether a password has this hash. Null in place of a hash is never right, and takes as long. */
export const isPassword = async (password: string, stored: string | null): Promise<boolean> => {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? nobody).split(':')
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem }
  const known = Buffer.from(hash, 'base64url')
  const found = await derive(
    password.normalize('NFKC'),
    Buffer.from(salt, 'base64url'),
    known.length,
    options,
  )
  return timingSafeEqual(found, known) && stored !== null
}
