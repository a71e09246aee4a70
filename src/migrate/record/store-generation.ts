import { ident } from '../../plan/dialect.ts'
import { metaFacts, metaTable, selectMeta, upsertMeta } from '../../store/meta.ts'
import { StoreError, type Transaction } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'

const { key } = metaFacts.generation

/** The statement after which processes of an older release end. */
export const nextGeneration = upsertMeta(
  key,
  '1',
  `CAST(CAST(${ident(metaTable)}."value" AS integer) + 1 AS text)`,
)

/**
 * Adds a step after the last one that older processes do not survive. It increments the generation, by which they notice that they must
 * end, and writes the names that the store has then.
 */
export function withGeneration(steps: readonly Step[], names: string): readonly Step[] {
  const last = steps.findLastIndex((step) => step.stops)
  const breaking = steps[last]
  if (!breaking) return steps
  const step: Step = {
    table: metaTable,
    sql: [upsertMeta(metaFacts.names.key, names), nextGeneration].join(';\n'),
    additive: false,
    why: 'processes of the older declaration see by this that they must end',
    stops: true,
    ...(breaking.alone && { alone: true }),
  }
  return steps.toSpliced(last + 1, 0, step)
}

/** How often the store was migrated in a way that processes of an older release cannot use. */
export async function readGeneration(store: Pick<Transaction, 'all'>): Promise<number> {
  const [row] = await store.all(selectMeta(key), [])
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
