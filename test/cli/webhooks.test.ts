import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingNames } from '../../src/cli/setting-names.ts'
import { openService } from '../../src/serve/service.ts'
import { emptyDatabase } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { serve } from '../support/serving.ts'
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

test('a store that no process with webhooks has served has no endpoints', async () => {
  const DATABASE_URL = await emptyDatabase('sqlite')
  const { events: _, ...without } = hooksApi
  await (await openService({ declaration: without, databaseUrl: DATABASE_URL })).close()
  const usage = await runHere(['usage', place()], { env: { DATABASE_URL } })
  expect(usage).toMatchObject({ code: 0, stderr: '' })
})
