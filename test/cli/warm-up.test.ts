import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = `
import { warmUp } from './src/cli/dev/warm-up.ts'
await warmUp()
`

// nounkit dev ignores a failure, because it would only make the next reload slower.
test('what nounkit dev does while it waits for a change succeeds, and prints nothing', async () => {
  const args = ['--conditions=nounkit-source', '--input-type=module', '--eval', script]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  expect([stdout, stderr]).toEqual(['', ''])
})
