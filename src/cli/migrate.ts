import { parseArgs } from 'node:util'
import { migrate } from '../store/schema/migrate.ts'
import { mayBeTaken, migrationSql } from '../store/schema/migration.ts'
import { compileLoaded, loadApi, openDatabase } from './load.ts'
import { words } from './words.ts'

const options = {
  'dry-run': { type: 'boolean' },
  rename: { type: 'boolean' },
  citus: { type: 'boolean' },
} as const

/** `nounkit migrate API [--dry-run] [--rename] [--citus]`: makes the store fit the declaration, or says what it would take. */
export async function migrateCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = words(positionals, 1)
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const store = await openDatabase(api.declaration)
  try {
    const dryRun = values['dry-run'] ?? false
    const asked = { dryRun, rename: values.rename ?? false, citus: values.citus ?? false }
    const { steps } = await migrate(store, model, asked)
    const refused = steps.filter((step) => !mayBeTaken(step, asked)).length
    if (steps.length === 0) console.log('The store fits the declaration. Nothing to do.')
    else console.log(`${migrationSql(steps)}\n${outcome(steps.length, refused, dryRun)}`)
    return 0
  } finally {
    await store.close()
  }
}

const outcome = (steps: number, refused: number, dryRun: boolean): string =>
  refused > 0
    ? `Nothing would be applied: ${refused} of the ${steps} steps are marked as not applied.`
    : `${steps} steps ${dryRun ? 'would be' : 'were'} applied.`
