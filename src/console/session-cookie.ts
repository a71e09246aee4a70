import type { PlainRequest } from '../call/exchange.ts'
import { header, isLocal } from './console-request.ts'

/** The cookie of the session. */
export interface SessionCookie {
  read(): string | null
  /** The value of Set-Cookie. */
  keep(secret: string): string
  drop(): string
}

/**
 * Over HTTPS the name begins with `__Host-`: no other host can set it, and it is sent over HTTPS alone. Browsers keep no such cookie over
 * plain HTTP, which is for this machine only; there the name has the port, because cookies are shared by all ports.
 */
export const sessionCookie = (request: PlainRequest, prefix: string): SessionCookie => {
  const local = isLocal(request)
  // A proxy on this machine that ends TLS may pass on its own Host. A form says in Origin what the browser sees.
  const plain = local && !header(request, 'origin')?.startsWith('https:')
  const own = prefix.replaceAll('/', '.')
  const secureName = `__Host-nounkit-console${own}`
  const plainName = `nounkit-console${own}-${new URL(request.origin).port || 80}`
  const name = plain ? plainName : secureName
  const attributes = `Path=${plain ? `${prefix}/console` : '/'}; HttpOnly; SameSite=Strict${plain ? '' : '; Secure'}`
  const sent = (wanted: string): string | null => cookieIn(header(request, 'cookie') ?? '', wanted)
  return {
    read: () => sent(secureName) ?? (local ? sent(plainName) : null),
    keep: (secret) => `${name}=${secret}; ${attributes}`,
    drop: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}

const cookieIn = (cookies: string, name: string): string | null => {
  const found = cookies
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`))
  const value = found?.slice(name.length + 1) ?? ''
  return /^\w{1,100}$/.test(value) ? value : null
}
