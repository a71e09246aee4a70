import { beforeAll, expect, test } from 'vitest'
import { type UserMachine, userMachine } from '../support/user-machine.ts'
import { startSession } from './session.ts'

let machine: UserMachine
beforeAll(async () => {
  machine = await userMachine()
})

test('the commands of the tutorial, in an empty folder with the packed package, print what it shows', async () => {
  const { folder, env } = machine
  const session = await startSession({
    folder,
    env,
    paste(command, server) {
      const key = /acme +(nk_\w+)/.exec(server?.output ?? '')?.[1] ?? ''
      if (command.includes('nk_…')) expect(key, server?.output).not.toBe('')
      return command.replace('nk_…', key)
    },
  })
  await session.follow('docs/tutorial/first-api.md')
  // Npm installs the package, and twenty commands follow: a busy machine takes minutes for them.
}, 400_000)
