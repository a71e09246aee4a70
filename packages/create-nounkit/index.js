#!/usr/bin/env node
// `npm create nounkit DIR` is `npx nounkit init DIR`.
process.argv.splice(2, 0, 'init')
await import(new URL('bin/nounkit.js', import.meta.resolve('nounkit/package.json')))
