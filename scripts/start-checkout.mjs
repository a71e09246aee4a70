// Runs the command of a checkout on the Node of its development dependencies, whichever Node the machine has.
// Plain JavaScript without dependencies, because it may have to install them first, and runs on Node 20.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
if (!existsSync(node)) await import('./ensure-installed.mjs')

const args = ['--conditions=nounkit-source', join(root, 'bin', 'nounkit.js'), ...process.argv.slice(2)]
if (process.execve) process.execve(node, [node, ...args], process.env)
else runAsChild()

/** Node 20 and Windows cannot replace the process. */
function runAsChild() {
  const child = spawn(node, args, { stdio: 'inherit' })
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  // Ctrl-C in a terminal reaches the child too, and a second signal would end it at once.
  process.on('SIGINT', () => {})
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
