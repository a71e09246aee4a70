import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program that comes from the system; installs its Debian package when it is missing and we may. */
export function systemProgram(name: string, debianPackage: string): string {
  const found = find(name)
  if (found) return found
  const advice = `${name} is needed by this test. Install it, on Debian: apt-get install ${debianPackage}`
  if (process.getuid?.() !== 0 || !find('apt-get')) throw new Error(advice)
  const installed = aptGet('install', '-y', '--no-install-recommends', debianPackage)
  const retried =
    installed.status === 0 ||
    (aptGet('update').status === 0 &&
      aptGet('install', '-y', '--no-install-recommends', debianPackage).status === 0)
  const path = retried ? find(name) : undefined
  if (!path) throw new Error(`${advice} (tried: ${installed.stderr.trim()})`)
  return path
}

function find(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/usr/local/bin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

function aptGet(...args: string[]) {
  // Two workers may ask at once: the second waits for dpkg's lock.
  return spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=100', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
  })
}
