import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { startServer } from '../support/server-process.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'
import { runHere } from './in-process.ts'
import { isMistake } from './run.ts'

const source = (more: string) =>
  librarySource({ more: `versions: [version('v1', { published: '2026-01-01' })], ${more}` }).replace(
    'import { api, ',
    'import { version, api, ',
  )

describe('a published API in other environments', () => {
  const published = declarationFolder(
    source(
      `tokens: { issuer: 'https://dev.example', audience: 'dev' }, cors: { origins: ['https://one.example'] }`,
    ),
  )
  let issuer: TokenIssuer
  beforeAll(async () => {
    issuer = await startIssuer()
    expect(await runHere(['publish', '.', 'v1'], { cwd: published })).toMatchObject({ code: 0, stderr: '' })
  })
  afterAll(() => issuer.stop())
  /** Another folder with the same contracts, since a process loads a declaration once. */
  const changed = (more: string) => {
    const folder = declarationFolder(source(more))
    cpSync(join(published, 'contracts'), join(folder, 'contracts'), { recursive: true })
    return folder
  }

  test('check accepts other addresses and addresses that are left out, and refuses other claims', async () => {
    for (const more of [
      `tokens: { issuer: 'https://login.example', audience: 'prod' }`,
      `tokens: {}, cors: { origins: '*' }`,
      `tokens: [{ audience: 'x' }, { prefix: 'partners:', issuer: 'https://partners.example', audience: 'x' }]`,
    ])
      expect(await runHere(['check', '.'], { cwd: changed(more) })).toMatchObject({ code: 0, stderr: '' })
    const ran = await runHere(['check', '.'], { cwd: changed(`tokens: { claims: { account: 'tenant' } }`) })
    expect(isMistake(ran)).toBe(true)
    expect(ran.stderr).toContain('tokens.claims.account  account became tenant')
  })

  test.each(storeKinds)(
    'serve takes its issuer, audience and origins from the settings, on %s',
    async (kind) => {
      const { call, child } = await startServer(await emptyDatabase(kind), {
        api: published,
        env: {
          NOUNKIT_TOKEN_ISSUER: issuer.url,
          NOUNKIT_TOKEN_AUDIENCE: 'prod',
          NOUNKIT_CORS_ORIGINS: 'https://two.example',
          NOUNKIT_PROXIES: '127.0.0.1,10.0.0.0/8',
        },
      })
      try {
        const sign = (aud: string) => issuer.sign({ aud, account: 'acme', scope: 'books:read' })
        const get = (key: string, origin = 'https://two.example') =>
          call('GET', '/v1/books', { key, headers: { origin } })
        const answer = await get(await sign('prod'))
        expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
          200,
          'https://two.example',
        ])
        expect((await get(await sign('dev'))).status).toBe(401)
        const dropped = await get(await sign('prod'), 'https://one.example')
        expect(dropped.headers['access-control-allow-origin']).toBeUndefined()
        const headers = { 'x-request-id': 'of-the-proxy' }
        expect((await call('GET', '/v1', { headers })).headers['x-request-id']).toBe('of-the-proxy')
      } finally {
        child.kill('SIGTERM')
        await child.ended
      }
    },
  )

  test.each<[string, string, { readonly [name: string]: string }, RegExp]>([
    [
      'an issuer that is left out and not set',
      'tokens: {}',
      {},
      /^The declaration accepts tokens of 1 issuer and leaves who that is to the deployment\. Set NOUNKIT_TOKEN_ISSUER to the https: URL/,
    ],
    [
      'one of two issuers that is not set',
      `tokens: [{ issuer: 'https://a.example' }, { prefix: 'b:' }]`,
      {},
      /^The declaration accepts tokens of 2 issuers .*or to off,off to accept API keys only\.$/m,
    ],
    [
      'an issuer in the clear',
      'tokens: {}',
      { NOUNKIT_TOKEN_ISSUER: 'http://login.example' },
      /^NOUNKIT_TOKEN_ISSUER: the keys of the issuer "http:\/\/login\.example" cannot be found by discovery\. Write the https: URL/,
    ],
    [
      'an issuer that is no URL',
      'tokens: {}',
      { NOUNKIT_TOKEN_ISSUER: 'login' },
      /^NOUNKIT_TOKEN_ISSUER: the issuer "login" is not a URL/,
    ],
    [
      'more issuers than are declared',
      'tokens: {}',
      { NOUNKIT_TOKEN_ISSUER: 'https://a.example,https://b.example' },
      /^NOUNKIT_TOKEN_ISSUER has 2 issuers, and the declaration has 1\./,
    ],
    [
      'an issuer twice',
      `tokens: [{}, { prefix: 'b:' }]`,
      { NOUNKIT_TOKEN_ISSUER: 'https://a.example,https://a.example' },
      /^NOUNKIT_TOKEN_ISSUER has "https:\/\/a\.example" twice\./,
    ],
    [
      'an empty entry',
      `tokens: [{}, { prefix: 'b:' }]`,
      { NOUNKIT_TOKEN_ISSUER: 'https://a.example,' },
      /^NOUNKIT_TOKEN_ISSUER is "https:\/\/a\.example,", which has an empty entry\./,
    ],
    [
      'more audiences than issuers',
      `tokens: { issuer: 'https://a.example' }`,
      { NOUNKIT_TOKEN_AUDIENCE: 'a,b' },
      /^NOUNKIT_TOKEN_AUDIENCE has 2 audiences\. Write one for all issuers, or one for each/,
    ],
    [
      'an issuer of an API that accepts no tokens',
      '',
      { NOUNKIT_TOKEN_ISSUER: 'https://a.example' },
      /^NOUNKIT_TOKEN_ISSUER is set, and the declaration accepts no tokens\. Add tokens: \{\} to it/,
    ],
    [
      'an origin with a path',
      '',
      { NOUNKIT_CORS_ORIGINS: 'https://a.example,https://b.example/app' },
      /^NOUNKIT_CORS_ORIGINS: "https:\/\/b\.example\/app" is not an origin\./,
    ],
    [
      'a proxy that is no range of addresses',
      '',
      { NOUNKIT_PROXIES: '10.0.0.0/8,proxy.example' },
      /^NOUNKIT_PROXIES: "proxy\.example" is no address range\./,
    ],
    [
      'every origin and one more',
      '',
      { NOUNKIT_CORS_ORIGINS: '*,https://a.example' },
      /^NOUNKIT_CORS_ORIGINS: "\*" is not an origin\. .*Or write \* alone/,
    ],
  ])('serve names at start: %s', async (_, more, settings, says) => {
    const folder = declarationFolder(librarySource({ more }))
    const env = { DATABASE_URL: `sqlite:${join(folder, 'x.db')}`, ...settings }
    const ran = await runHere(['serve', folder, '--port', '0'], { env })
    expect(ran.stderr).toMatch(says)
    expect(isMistake(ran)).toBe(true)
  })
})
