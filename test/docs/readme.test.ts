import { expect, test } from 'vitest'
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

test('the README shows the one command that starts and the one that tests', () => {
  const commands = blocksOf('README.md')
    .filter((block) => block.language === 'sh')
    .map((block) => block.text)
  expect(commands).toContain('npm start')
  expect(commands).toContain('npm test')
})
