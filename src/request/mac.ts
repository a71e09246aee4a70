import { hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32

/**
 * HMAC-SHA-256 (RFC 2104) of texts under one secret, in base64url. Under a secret of ASCII the padded keys are ASCII too, so
 * the inner one is put before the text as text, and no buffer is made for either hash: a fifth of the cost of a streaming
 * Hmac object, which matters because every page of a list is sealed with one.
 */
export function createMac(secret: string): (text: string) => string {
  const key = Buffer.from(secret)
  if (key.length > blockBytes || key.some((byte) => byte > 0x7f))
    throw new Error(`The secret of a seal is at most ${blockBytes} ASCII characters.`)
  const inner = padded(key, 0x36, 0).toString('latin1')
  const outer = padded(key, 0x5c, digestBytes)
  return (text) => {
    outer.write(hash('sha256', inner + text, 'latin1'), blockBytes, 'latin1')
    return hash('sha256', outer, 'base64url')
  }
}

/** The key xored with a pad, and room behind it for what is hashed with it. */
function padded(key: Buffer, pad: number, room: number): Buffer {
  const buffer = Buffer.alloc(blockBytes + room)
  for (let at = 0; at < blockBytes; at++) buffer[at] = (key[at] ?? 0) ^ pad
  return buffer
}
