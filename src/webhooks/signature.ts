import { createHmac, randomBytes } from 'node:crypto'

/** Every secret begins with this, as the Standard Webhooks specification says. */
const prefix = 'whsec_'

export const newSecret = (): string => prefix + randomBytes(32).toString('base64')

/** The headers by which a receiver knows who called. The newest secret comes first; each gives a signature. */
export function signedHeaders(
  eventId: string,
  seconds: number,
  body: string,
  secrets: readonly string[],
): { readonly [name: string]: string } {
  const content = `${eventId}.${seconds}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}
