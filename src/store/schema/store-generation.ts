import { sqlText } from '../../kinds/sql.ts'
import { ident } from '../../plan/dialect.ts'
import { StoreError, type Transaction } from '../store.ts'
import type { Step } from './migration-step.ts'

const key = 'generation'
const meta = ident('nounkit_meta')
export const renamedPrefix = 'renamed '

/** A statement that stores a row of nounkit_meta. */
export const upsertMeta = (name: string, value: string, otherwise = 'excluded."value"'): string =>
  `INSERT INTO ${meta} ("key", "value") VALUES (${sqlText(name)}, ${sqlText(value)}) ON CONFLICT ("key") DO UPDATE SET "value" = ${otherwise}`

/** The statement after which processes of an older release end. */
export const nextGeneration = upsertMeta(key, '1', `CAST(CAST(${meta}."value" AS integer) + 1 AS text)`)

/**
 * Adds a step after the last rename. It stores the names and values that no longer exist, so that an older declaration does not
 * create empty tables under them. It also increments the generation, by which processes of an older release notice that they must
 * end.
 */
export function withGeneration(steps: readonly Step[]): readonly Step[] {
  const last = steps.findLastIndex((step) => step.rename)
  const breaking = steps[last]
  if (!breaking) return steps
  const gone = steps.flatMap((step) => step.became ?? [])
  const statements = [...gone.map(([from, to]) => upsertMeta(renamedPrefix + from, to)), nextGeneration]
  const step: Step = {
    table: 'nounkit_meta',
    sql: statements.join(';\n'),
    additive: false,
    why: 'processes of the older declaration see by this that they must end',
    rename: true,
    ...(breaking.alone && { alone: true }),
  }
  return steps.toSpliced(last + 1, 0, step)
}

/** How often the store was migrated in a way that processes of an older release cannot use. */
export async function readGeneration(store: Pick<Transaction, 'all'>): Promise<number> {
  const [row] = await store.all(`SELECT "value" FROM ${meta} WHERE "key" = ${sqlText(key)}`, [])
  return Number(row?.[0] ?? 0)
}

/** The same for a store that may have no tables yet. */
export async function generationAtStart(store: Pick<Transaction, 'all'>): Promise<number> {
  try {
    return await readGeneration(store)
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'outdated') return 0
    throw error
  }
}
