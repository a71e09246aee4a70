import { test } from 'vitest'
import { startSession } from './session.ts'

test('whoever follows the tutorial sees what it shows', async () => {
  const session = await startSession()
  await session.follow('docs/tutorial/first-api.md')
})
