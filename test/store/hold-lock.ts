import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Another process that writes: takes the lock of a file, says so, and keeps it for a while. */
const [file = '', held = '0'] = process.argv.slice(2)
const database = new DatabaseSync(file)
database.exec('BEGIN IMMEDIATE')
console.log('locked')
await sleep(Number(held))
database.exec('COMMIT')
console.log('released')
