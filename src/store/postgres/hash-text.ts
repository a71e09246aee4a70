const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))

/**
 * `hashtext` of PostgreSQL, by which Citus finds the shard of a row: Bob Jenkins' lookup3 over the bytes in UTF-8
 * (`hash_bytes` in src/common/hashfn.c).
 */
export function hashText(text: string): number {
  const bytes = Buffer.from(text)
  const whole = bytes.length - (bytes.length % 12)
  let a = (0x9e3779b9 + bytes.length + 3_923_095) | 0
  let b = a
  let c = a
  for (let at = 0; at < whole; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0
    b = (b + bytes.readInt32LE(at + 4)) | 0
    c = (c + bytes.readInt32LE(at + 8)) | 0
    a = (a - c) ^ rotated(c, 4)
    c = (c + b) | 0
    b = (b - a) ^ rotated(a, 6)
    a = (a + c) | 0
    c = (c - b) ^ rotated(b, 8)
    b = (b + a) | 0
    a = (a - c) ^ rotated(c, 16)
    c = (c + b) | 0
    b = (b - a) ^ rotated(a, 19)
    a = (a + c) | 0
    c = (c - b) ^ rotated(b, 4)
    b = (b + a) | 0
  }
  // The lowest byte of the last word is left to the length, so the ninth byte of the rest goes to its second byte.
  for (let at = whole; at < bytes.length; at++) {
    const place = at - whole
    const byte = bytes[at] ?? 0
    if (place < 4) a = (a + (byte << (8 * place))) | 0
    else if (place < 8) b = (b + (byte << (8 * (place - 4)))) | 0
    else c = (c + (byte << (8 * (place - 7)))) | 0
  }
  c = (c ^ b) - rotated(b, 14)
  a = (a ^ c) - rotated(c, 11)
  b = (b ^ a) - rotated(a, 25)
  c = (c ^ b) - rotated(b, 16)
  a = (a ^ c) - rotated(c, 4)
  b = (b ^ a) - rotated(a, 14)
  c = (c ^ b) - rotated(b, 24)
  return c | 0
}
