import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

export type TokenIssuer = {
  readonly url: string
  readonly jwksUrl: string
  /** How often its keys were fetched. */
  readonly fetches: number
  /** How often its discovery document was fetched. */
  readonly discoveries: number
  /** Answers requests for the discovery document in another way, or as before with null. */
  discover(answer: ((response: ServerResponse) => void) | null): void
  /** A new signing key; the old ones stay published unless they are withdrawn. */
  rotate(options?: { withdrawOld?: boolean; algorithm?: string }): Promise<void>
  sign(claims: JWTPayload, options?: { keyId?: string | null; expires?: string | number }): Promise<string>
  /** A token whose payload is this text, such as JSON that `JSON.stringify` would not write. */
  signText(payload: string): Promise<string>
  /** From now on requests for its keys fail, until `back`. */
  away(): void
  back(): void
  keys(): { keys: JWK[] }
  stop(): Promise<void>
}

type SigningKey = { id: string; algorithm: string; privateKey: CryptoKey; jwk: JWK }

/** An authority that issues tokens and publishes its keys, on loopback. */
export async function startIssuer(): Promise<TokenIssuer> {
  let published: SigningKey[] = []
  let fetches = 0
  let isAway = false
  let discoveries = 0
  let discovery: ((response: ServerResponse) => void) | null = null
  const server = createServer((request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      discoveries++
      if (isAway) return void response.writeHead(503).end()
      if (discovery) return discovery(response)
      const document = { issuer: url, jwks_uri: `${url}/jwks.json` }
      return void response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(document))
    }
    fetches++
    if (isAway) return void response.writeHead(503).end()
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(keySet()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keySet = () => ({ keys: published.map(({ jwk }) => jwk) })
  const rotate: TokenIssuer['rotate'] = async ({ withdrawOld = false, algorithm = 'ES256' } = {}) => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
    const id = `key-${published.length + 1}-${Math.random().toString(36).slice(2)}`
    const jwk = { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' }
    published = [...(withdrawOld ? [] : published), { id, algorithm, privateKey, jwk }]
  }
  await rotate()
  return {
    url,
    jwksUrl: `${url}/jwks.json`,
    get fetches() {
      return fetches
    },
    get discoveries() {
      return discoveries
    },
    discover(answer) {
      discovery = answer
    },
    rotate,
    async sign(claims, { keyId, expires = '5m' } = {}) {
      const key = published.at(-1)
      if (!key) throw new Error('the issuer has no key')
      const header = { alg: key.algorithm, ...(keyId === null ? {} : { kid: keyId ?? key.id }) }
      const token = new SignJWT(claims).setProtectedHeader(header).setIssuedAt().setExpirationTime(expires)
      if (claims.iss === undefined) token.setIssuer(url)
      if (claims.aud === undefined) token.setAudience('shop')
      return token.sign(key.privateKey)
    },
    async signText(payload) {
      const key = published.at(-1)
      if (!key) throw new Error('the issuer has no key')
      return new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: key.algorithm, kid: key.id })
        .sign(key.privateKey)
    },
    away() {
      isAway = true
    },
    back() {
      isAway = false
    },
    keys: keySet,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
