// Makes `npm start` and `npm test` work on a fresh clone: installs the dependencies of package-lock.json, once.
// Plain JavaScript without dependencies, because it runs before they are installed, and on Node 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lockfile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const marker = join(modules, '.nounkit-lock-hash')
const nodeBinary = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

// A published package has no lockfile, and npm has installed its dependencies with it.
if (existsSync(lockfile)) ensureInstalled()

function ensureInstalled() {
  const hash = createHash('sha256').update(readFileSync(lockfile)).digest('hex')
  if (existsSync(nodeBinary)) {
    if (readOr(marker, '') === hash) return
    if (installedMatchesLockfile()) return writeFileSync(marker, hash)
  }
  install()
  if (!existsSync(nodeBinary)) {
    fail(
      'npm ci did not fetch Node: npm is configured to skip install scripts. Run: npm ci --ignore-scripts=false',
    )
  }
  writeFileSync(marker, hash)
}

/** npm's own record of what it installed, so that a manual `npm ci` or `npm install` is not repeated. */
function installedMatchesLockfile() {
  const installed = JSON.parse(readOr(join(modules, '.package-lock.json'), '{}')).packages ?? {}
  const wanted = JSON.parse(readFileSync(lockfile, 'utf8')).packages
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = installed[path]
    return found ? found.version === entry.version : Boolean(entry.optional || entry.devOptional)
  })
}

function install() {
  console.error('Installing dependencies (npm ci) …')
  // node_modules/.bin/node is about to be replaced, so npm must run on the machine's own Node.
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.endsWith(join('node_modules', '.bin')) && !entry.startsWith(modules + sep))
    .join(delimiter)
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    env: { ...process.env, PATH: path },
    // stdout belongs to the command that the user runs.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (error) fail(`npm could not be started (${error.message}). Install npm, then run: npm ci`)
  if (status !== 0) fail('npm ci failed, see above. Run it by hand to try again: npm ci')
}

function readOr(file, fallback) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : fallback
}

function fail(message) {
  console.error(`nounkit: ${message}`)
  process.exit(1)
}
