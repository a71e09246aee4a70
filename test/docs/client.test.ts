import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import { nodeScript } from '../support/child.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { until } from '../support/until.ts'
import { blocksOf, markOf } from './markdown.ts'
import { snippetFile } from './snippet-files.ts'

const page = 'docs/reference/client.md'

const fileOf = (name: string): string => {
  const block = blocksOf(page).find((one) => markOf(one, 'file') === name)
  if (!block) throw new Error(`${page} shows no ${name}`)
  return snippetFile(block)
}

test('the programs of the client reference do what it says, and it has all options', async () => {
  const { default: declaration } = await import(/* @vite-ignore */ pathToFileURL(fileOf('api.ts')).href)
  expect(compileApi(declaration).resources.size).toBeGreaterThan(0)
  const served = await listeningShop({ declare: () => declaration })
  const env = { API_URL: `http://127.0.0.1:${served.port}`, API_KEY: await served.api.key('acme') }
  const following = nodeScript(fileOf('follow.ts'), [], { env })
  await until(
    async () => /^nounkit_event_streams 1$/m.test(await (await fetch(`${env.API_URL}/metrics`)).text()),
    { what: 'an open stream' },
  )
  const using = nodeScript(fileOf('use.ts'), [], { env })
  await using.ended
  expect(using.stdout).toBe('Garden: Water the tomatoes\nFrom done it can move to: nothing\n')
  await until(() => following.stdout.startsWith('Water the tomatoes '), { what: 'the event' })
  await following.kill()
  await served.close()

  const types = readFileSync(new URL('../../src/client/client-types.ts', import.meta.url), 'utf8')
  const [, body = ''] = /interface ClientOptions\b[^{]*\{\n([\s\S]*?)\n\}/.exec(types) ?? []
  const options = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
  const [, below = ''] = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8').split('## Options')
  const told = [...(below.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  expect(told.toSorted()).toEqual(options.toSorted())
})
