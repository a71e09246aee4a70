import { test } from 'vitest'
import { startSession } from './session.ts'

test('the commands of the tutorial print what it shows', async () => {
  const session = await startSession()
  await session.follow('docs/tutorial/first-api.md')
})
