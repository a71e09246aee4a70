import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/databases.ts'
import { blocksOf, root } from './markdown.ts'
import { startSession } from './session.ts'

test("the README's calls work as they stand, with the key that was printed", async () => {
  const session = await startSession({
    folder: root,
    paste(command, server) {
      const key = /acme +(nk_\w+)/.exec(server?.output ?? '')?.[1]
      expect(key, server?.output).toBeDefined()
      return command.replace('nk_…', key ?? '')
    },
  })
  await session.follow('README.md')
})

test("the library's README: the calls of each kind of caller work as they stand, with the keys that were printed", async () => {
  const session = await startSession({
    folder: root,
    env: { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'library.db')}` },
    paste: (command, server) =>
      command.replaceAll(/export (\w+)=nk_…/g, (_, variable: string) => {
        const name = variable.toLowerCase().replace('_', '-')
        const key = new RegExp(`riverside +${name} +(nk_\\w+)`).exec(server?.output ?? '')?.[1]
        expect(key, server?.output).toBeDefined()
        return `export ${variable}=${key}`
      }),
  })
  await session.follow('examples/library/README.md')
})

test('the README shows the one command that starts and the one that tests', () => {
  const commands = blocksOf('README.md')
    .filter((block) => block.language === 'sh')
    .map((block) => block.text)
  expect(commands).toContain('npm start')
  expect(commands).toContain('npm test')
})
