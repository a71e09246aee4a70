import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { settingNames } from '../../src/cli/setting-names.ts'
import { openService } from '../../src/serve/service.ts'
import { emptyDatabase } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { serve } from '../support/serving.ts'
import { until } from '../support/until.ts'
import { runHere } from './in-process.ts'
import { isMistake } from './run.ts'

const place = () =>
  declarationFolder(
    `export { hooksApi as default } from '${new URL('../support/hooks-api.ts', import.meta.url).pathname}'`,
  )

test.each([
  [
    'NOUNKIT_WEBHOOK_ALLOW',
    '10.0.0.0/8,intranet',
    'NOUNKIT_WEBHOOK_ALLOW has "intranet". Write addresses or ranges',
  ],
  ['NOUNKIT_WEBHOOK_DELAYS', '1,soon', 'NOUNKIT_WEBHOOK_DELAYS has "soon". Write the seconds'],
])('%s=%s is refused before a port opens', async (name, value, message) => {
  const DATABASE_URL = await emptyDatabase('sqlite')
  const ran = await runHere(['serve', place(), '--port', '0'], { env: { DATABASE_URL, [name]: value } })
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(message)
  expect(ran.stderr).not.toContain('    at ')
})

test('a mistyped setting is named at start, a variable of another program is not', async () => {
  const env = {
    DATABASE_URL: await emptyDatabase('sqlite'),
    NOUNKIT_WEBHOOK_ALOW: '127.0.0.0/8',
    NOUNKIT_DASHBOARD: 'on',
    NOUNKIT_WEBHOOK_DELAYS: 'soon',
  }
  const { stderr } = await runHere(['serve', place(), '--port', '0'], { env })
  expect(stderr).toMatch(
    /^NOUNKIT_WEBHOOK_ALOW is not a setting\. Did you mean NOUNKIT_WEBHOOK_ALLOW\?\nNOUNKIT_WEBHOOK_DELAYS has/,
  )
})

test('the settings that are known are those that are documented', () => {
  const page = readFileSync(new URL('../../docs/reference/settings.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `NOUNKIT_(\w+)`/gm)].map(([, name]) => name)
  expect([...settingNames]).toEqual(documented.toSorted())
})

test('usage, retire and contact know active endpoints', async () => {
  const DATABASE_URL = await emptyDatabase('sqlite')
  const served = await serve('sqlite', DATABASE_URL, { declaration: hooksApi, webhooks: testWebhooks })
  const url = 'https://receiver.example/hooks'
  const { id } = await served.make('/v1/webhook-endpoints', { url, event_types: ['*'] })
  const api = place()
  const options = { env: { DATABASE_URL } }
  const usage = await runHere(['usage', api, '--version', 'v1'], options)
  expect(usage.stdout).toContain(`webhook:${id} of acme is sent events to ${url} since `)
  expect(usage.stdout).toContain('not told')
  const blockers = async () => {
    const { stdout } = await runHere(['retire', api, 'v1', '--dry-run', '--json'], options)
    return (JSON.parse(stdout) as { blockers: { kind: string }[] }).blockers.map(({ kind }) => kind)
  }
  expect(await blockers()).toContain('webhook')
  const unknown = await runHere(['contact', api, 'v1', '--consumer', 'webhook:x', '--note', 'mail'], options)
  expect(isMistake(unknown)).toBe(true)
  const told = await runHere(['contact', api, 'v1', '--consumer', `webhook:${id}`, '--note', 'mail'], options)
  expect(told).toMatchObject({ code: 0, stderr: '' })
  expect(await blockers()).not.toContain('webhook')
})

test('a command on a store without the tables of what is declared since says to migrate it', async () => {
  const DATABASE_URL = await emptyDatabase('sqlite')
  const { events: _, ...without } = hooksApi
  await (await openService({ declaration: without, databaseUrl: DATABASE_URL })).close()
  const usage = () => runHere(['usage', place()], { env: { DATABASE_URL } })
  expect(await usage()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The store does not fit the declaration \(.*webhook_endpoints.*\)\. Migrate it first: nounkit migrate\n$/,
    ),
  })
  await (await openService({ declaration: hooksApi, databaseUrl: DATABASE_URL })).close()
  expect(await usage()).toMatchObject({ code: 0, stderr: '' })
})

describe('what ends with a key or a subject', () => {
  const url = 'https://receiver.example/hooks'
  const path = '/v2/webhook-endpoints'
  const body = { url, event_types: ['*'] }

  async function started() {
    const DATABASE_URL = await emptyDatabase('sqlite')
    const served = await serve('sqlite', DATABASE_URL, { declaration: hooksApi, webhooks: testWebhooks })
    const api = place()
    const keys = (...args: string[]) => runHere(['keys', ...args], { env: { DATABASE_URL } })
    const states = async () => (await served.get(`${path}?limit=100`)).rows.map(({ active }) => active)
    return { served, api, keys, states }
  }

  test('keys revoke says how many endpoints ended, all of them and no others', async () => {
    const { served, api, keys, states } = await started()
    const till = await served.api.key('acme', { name: 'till' })
    await served.make(path, body)
    for (let made = 0; made < 2; made++) await served.make(path, body, { as: till })
    await served.make(path, { ...body, active: false }, { as: till })
    const args = ['revoke', api, '--account', 'acme', '--name', 'till']
    const { stdout, code } = await keys(...args)
    expect(code).toBe(0)
    expect(stdout).toContain('2 webhook endpoints that rested on it have ended along with it.')
    expect(await states()).toEqual([true, false, false, false])
    const other = await served.api.key('acme', { name: 'other' })
    await served.make(path, body, { as: other })
    const json = await keys('revoke', api, '--account', 'acme', '--name', 'other', '--json')
    expect(JSON.parse(json.stdout)).toEqual({ account: 'acme', name: 'other', ended: 1, endpoints: 1 })
  })

  test('keys end-subject ends all keys and endpoints of a subject, also those that rest on tokens', async () => {
    const { served, api, keys, states } = await started()
    const key = (name: string, subject: string) => served.api.key('acme', { name, subject })
    const [ada, bo] = [await key('ada', 'ada'), await key('bo', 'bo')]
    await key('ada 2', 'ada')
    await served.make(path, body, { as: ada })
    const byToken = await served.make(path, body, { as: ada })
    await served.make(path, body, { as: bo })
    const consumer = { id: 'token:app', name: 'app', kind: 'external' }
    const rights = { consumer, scopes: ['*'], subject: 'ada', claims: { sub: 'ada' } }
    await served.store.writeOne(
      `UPDATE "webhook_endpoints" SET "owner_consumer" = 'token:app', "told_to" = '${JSON.stringify(rights)}' WHERE "id" = '${byToken.id}'`,
      [],
    )
    const { stdout, code } = await keys('end-subject', api, 'acme', 'ada')
    expect(stdout).toContain('Ended 2 keys and 2 webhook endpoints of the subject "ada" of acme.')
    expect(code).toBe(0)
    expect(await states()).toEqual([false, false, true])
    // The process may take two seconds to notice a key.
    await until(async () => (await served.get(path, { as: ada })).status === 401)
    expect((await served.get(path, { as: bo })).status).toBe(200)
    const again = await keys('end-subject', api, 'acme', 'ada', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ account: 'acme', subject: 'ada', ended: 0, endpoints: 0 })
  })

  test('keys end-issuer ends the endpoints that rest on tokens of an issuer, in every account', async () => {
    const { served, api, keys, states } = await started()
    const [ours, theirs] = [await served.make(path, body), await served.make(path, body, { as: 'globex' })]
    await served.make(path, body)
    const onToken = async (id: string, iss: string) => {
      const consumer = { id: 'token:app', name: 'app', kind: 'external' }
      const rights = JSON.stringify({ consumer, scopes: ['*'], subject: 'ada', claims: { iss } })
      await served.store.writeOne(
        `UPDATE "webhook_endpoints" SET "owner_consumer" = 'token:app', "told_to" = '${rights}' WHERE "id" = '${id}'`,
        [],
      )
    }
    const other = await served.make(path, body)
    await onToken(ours.id, 'https://login.example/')
    await onToken(theirs.id, 'https://login.example/')
    await onToken(other.id, 'https://login.example/other')
    const { stdout, code } = await keys('end-issuer', api, 'https://login.example/')
    expect(stdout).toContain('Ended 2 webhook endpoints that rested on tokens of https://login.example/.')
    expect(code).toBe(0)
    expect(await states()).toEqual([false, true, true])
    expect((await served.get(`${path}/${theirs.id}`, { as: 'globex' })).data.active).toBe(false)
  })

  test('keys end-subject without a subject is a mistake', async () => {
    const { api, keys } = await started()
    const missing = await keys('end-subject', api)
    expect(isMistake(missing)).toBe(true)
    expect(missing.stderr).toContain('nounkit keys end-subject acme ada')
    expect(isMistake(await keys('end-issuer', api, ''))).toBe(true)
  })
})
