import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts the secrets of endpoints for the store, which must give them back to sign with. The key is derived from the store's own
 * secret: a copy of this one table does not show them, a copy of the whole database does.
 */
export interface SecretBox {
  seal(secret: string): string
  open(sealed: string): string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function secretBox(storeSecret: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', storeSecret, '', 'nounkit webhook secrets', 32))
  return {
    seal(secret) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce)
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
