import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { nodeScript, nounkit, shell } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { blocksOf, markOf } from './markdown.ts'
import { snippetFile } from './snippet-files.ts'

const page = 'docs/how-to/end-users-log-in.md'

test('the provider, the app and the API on the page work together, and people see their own rows', async () => {
  const ports = new Map<string, number>()
  for (const shown of ['3000', '4000', '5000']) ports.set(shown, await freePort())
  const onPorts = (text: string): string =>
    text.replaceAll(/\b(?:3000|4000|5000)\b/g, (shown) => String(ports.get(shown)))
  const blocks = blocksOf(page).map((block) => ({ ...block, text: onPorts(block.text) }))
  const fileOf = (name: string): string => {
    const block = blocks.find((one) => markOf(one, 'file') === name)
    if (!block) throw new Error(`${page} shows no ${name}`)
    return snippetFile(block)
  }

  await nodeScript(fileOf('provider.ts')).line(/The provider is ready/)
  const server = nounkit(['serve', dirname(fileOf('api.ts')), '--port', String(ports.get('3000'))], {
    env: { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'library.db')}`, NOUNKIT_LOG: 'silent' },
  })
  await server.line(/is ready/)

  /** What a person does with `login.ts` and a browser. */
  const login = async (person: string): Promise<string> => {
    const app = nodeScript(fileOf('login.ts'))
    const [, url = ''] = await app.line(/^Open (\S+)/)
    const back = await new Browser().logIn(url, person, `http://127.0.0.1:${ports.get('5000')}/callback`)
    // The next person's app listens on the same port: no connection may be kept.
    const answer = await fetch(back, { headers: { connection: 'close' } })
    expect(await answer.text()).toBe('You are logged in.')
    await app.ended
    return app.stdout.trim().split('\n').at(-1) ?? ''
  }
  const env = { MIA: await login('mia'), NOA: await login('noa') }

  const calls = blocks.filter((block) => block.marks.includes('call'))
  const outputs: string[] = []
  for (const { text } of calls) {
    const call = shell(text.replace('curl', 'curl -s'), { env })
    await call.ended
    outputs.push(call.stdout)
  }
  expect(JSON.parse(outputs[0] ?? '')).toMatchObject({ data: { title: 'Dune', member_id: 'member-1' } })
  expect(outputs[1]).toBe(blocks.find(({ language }) => language === 'text')?.text)
  const mine = await fetch(onPorts('http://localhost:3000/v1/loans'), {
    headers: { Authorization: `Bearer ${env.MIA}` },
  })
  expect(await mine.json()).toMatchObject({ data: [{ title: 'Dune' }] })
})
