// Style, types and dead code, all at once: one after the other, they would leave half of two cores idle.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const commands = ['tsc --noEmit', 'biome check .', 'knip']

const passed = await Promise.all(commands.map(runs))
if (!passed.every(Boolean)) process.exitCode = 1

/** Prints what the command said when it is over, so that the commands' lines do not mix. */
async function runs(line) {
  const child = spawn(line, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  const [code] = await once(child, 'close')
  process.stdout.write(output)
  if (code !== 0) console.error(`${line} ended with ${code}`)
  return code === 0
}
