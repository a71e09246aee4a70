import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWK, Provider } from 'oidc-provider'
import { Browser } from './browser.ts'

export interface LoginProvider {
  readonly issuer: string
  /** Logs a person in by the authorization-code flow with PKCE, as an app without a secret does. */
  login(person: string, options?: LoginOptions): Promise<Tokens>
  /** A new signing key; the old ones stay published unless they are withdrawn. */
  rotate(options?: { withdrawOld?: boolean }): void
  stop(): Promise<void>
}

export interface LoginOptions {
  readonly scope?: string
  /** The API that the token is for; the one of the provider's `audience` by default. */
  readonly resource?: string
  /** What the app sends to prove that it began the flow, instead of the right text. */
  readonly verifier?: string
}

export interface Tokens {
  readonly access_token: string
  readonly id_token: string
}

export interface LoginProviderOptions {
  readonly audience: string
  /** All scopes that the API knows, with spaces. */
  readonly scope: string
  /** The claims that each person's access tokens have besides the usual ones. */
  readonly people: { readonly [person: string]: { readonly [claim: string]: unknown } }
}

const redirectUri = 'http://127.0.0.1/callback'

/** An OpenID provider of the npm package `oidc-provider`, on loopback. */
export async function startLoginProvider(options: LoginProviderOptions): Promise<LoginProvider> {
  let keys: JWK[] = [newKey()]
  let handle: ReturnType<Provider['callback']> | null = null
  const server = createServer((request, response) => void handle?.(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = (): void => {
    handle = openProvider(issuer, keys, options).callback()
  }
  open()
  return {
    issuer,
    login: (person, wanted) => login(issuer, person, { resource: options.audience, ...wanted }),
    rotate({ withdrawOld = false } = {}) {
      // The provider signs with the first key that fits.
      keys = [newKey(), ...(withdrawOld ? [] : keys)]
      open()
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const newKey = (): JWK =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK

function openProvider(issuer: string, keys: JWK[], options: LoginProviderOptions): Provider {
  const { scope, people } = options
  return new Provider(issuer, {
    jwks: { keys },
    cookies: { keys: ['a secret for tests'] },
    clients: [
      {
        client_id: 'portal',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [redirectUri],
      },
    ],
    findAccount: (_, sub) => (people[sub] ? { accountId: sub, claims: () => ({ sub }) } : undefined),
    extraTokenClaims: (_, token) => people['accountId' in token ? String(token.accountId) : ''],
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
}

async function login(issuer: string, person: string, wanted: LoginOptions): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const { authorization_endpoint, token_endpoint } = await discover(issuer)
  // Without a resource the provider gives an opaque token, for its own endpoints.
  const resource = wanted.resource ? { resource: wanted.resource } : {}
  const url = new URL(authorization_endpoint)
  url.search = new URLSearchParams({
    client_id: 'portal',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: `openid ${wanted.scope ?? ''}`.trimEnd(),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...resource,
  }).toString()
  const back = await new Browser().logIn(url.href, person, redirectUri)
  const code = back.searchParams.get('code')
  if (code === null) throw new Error(`The provider refused: ${back.search}`)
  const answer = await fetch(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'portal',
      redirect_uri: redirectUri,
      code,
      code_verifier: wanted.verifier ?? verifier,
      ...resource,
    }),
  })
  if (!answer.ok) throw new Error(`The provider gave no token: ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

const discover = async (issuer: string) =>
  (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
    readonly authorization_endpoint: string
    readonly token_endpoint: string
  }
