#!/usr/bin/env node
// The command. It is plain JavaScript, so that a Node that is too old can run it far enough to say so.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const oldest = 24
const isTooOld = Number(process.versions.node.split('.')[0]) < oldest
// A checkout runs its TypeScript sources, which needs this condition. The package has no scripts folder.
const isCheckout = existsSync(new URL('../scripts/start-checkout.mjs', import.meta.url))
const isStarted = process.execArgv.includes('--conditions=nounkit-source')

if (isCheckout && (isTooOld || !isStarted)) {
  await import('../scripts/start-checkout.mjs')
} else if (isTooOld) {
  console.error(
    `nounkit needs Node ${oldest} or newer, and this is Node ${process.versions.node}. Install a newer one: https://nodejs.org`,
  )
  process.exitCode = 1
} else {
  // V8's compile cache makes the next start faster. A folder that cannot be written is no error: then nothing is cached.
  module.enableCompileCache(cacheFolder())
  await import(isCheckout ? '../src/cli/main.ts' : '../dist/cli/main.js')
}

/** In `node_modules/.cache`: of the project that installed the package, or of the checkout. */
function cacheFolder() {
  const home = fileURLToPath(new URL('..', import.meta.url))
  const isInstalled = /[\\/]node_modules[\\/]nounkit[\\/]$/.test(home)
  return fileURLToPath(
    new URL(isInstalled ? '../../.cache/nounkit' : '../node_modules/.cache/nounkit', import.meta.url),
  )
}
