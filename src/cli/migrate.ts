import { parseArgs } from 'node:util'
import { migrate } from '../store/schema/migrate.ts'
import { migrationSql } from '../store/schema/migration.ts'
import { compileLoaded, loadApi, openDatabase } from './load.ts'
import { words } from './words.ts'

const options = { 'dry-run': { type: 'boolean' }, citus: { type: 'boolean' } } as const

/** `nounkit migrate API [--dry-run] [--citus]`: makes the store fit the declaration, or says what it would take. */
export async function migrateCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = words(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const store = await openDatabase(api.declaration)
  try {
    const dryRun = values['dry-run'] ?? false
    const { steps } = await migrate(store, model, { dryRun, citus: values.citus ?? false })
    if (steps.length === 0) console.log('The store fits the declaration. Nothing to do.')
    else console.log(`${migrationSql(steps)}\n${steps.length} steps ${dryRun ? 'would be' : 'were'} applied.`)
    return 0
  } finally {
    await store.close()
  }
}
