import { sqlText } from '../kinds/sql.ts'
import { type Bound, statement } from '../plan/bound-statement.ts'
import { type Dialect, ident } from '../plan/dialect.ts'
import type { Transaction } from './store.ts'

/** The table of single facts about a store: a key and a text each. */
export const metaTable = 'nounkit_meta'

interface MetaFact {
  /** Where it ends with a space, the beginning of several keys. */
  readonly key: string
  readonly holds: string
  /** Who writes it, as a file of `src/`. */
  readonly writer: string
  /** Whether `nounkit copy` takes it along. */
  readonly isCopied: boolean
}

/** Everything that the table may hold. `test/store/meta.test.ts` finds keys that are missing here. */
export const metaFacts = {
  secret: {
    key: 'cursor-secret',
    holds: 'the secret that seals cursors, 32 bytes in hexadecimal',
    writer: 'store/secret.ts',
    isCopied: true,
  },
  generation: {
    key: 'generation',
    holds: 'how often the store was changed in a way that ends processes of an older declaration',
    writer: 'migrate/record/store-generation.ts',
    isCopied: true,
  },
  published: {
    key: 'published',
    holds: 'the published versions that the store was served with, joined by commas',
    writer: 'migrate/record/published.ts',
    isCopied: true,
  },
  names: {
    key: 'names',
    holds: 'what tables, columns and values stand for (NamesRecord), as JSON',
    writer: 'migrate/record/names-record.ts',
    isCopied: true,
  },
  images: {
    key: 'images',
    holds: 'a hash of the values that some version shows otherwise than they are stored',
    writer: 'migrate/record/names-record.ts',
    isCopied: true,
  },
  shape: {
    key: 'shape',
    holds: 'what the columns are known to hold (StoredShape), as JSON',
    writer: 'migrate/record/shape.ts',
    isCopied: true,
  },
  accounts: {
    key: 'accounts',
    holds: "`one` where the store was filled under accounts: 'one'",
    writer: 'lifecycle/refuse-other-accounts.ts',
    isCopied: true,
  },
  sum: {
    key: 'sum ',
    holds: 'what a sum adds up, as JSON; its table and column follow in the key',
    writer: 'migrate/sums/sums.ts',
    isCopied: true,
  },
  seeded: {
    key: 'seeded',
    holds: 'when the store was seeded, or `reset` where it is not to be seeded again',
    writer: 'write/seed.ts',
    isCopied: true,
  },
  import: {
    key: 'import ',
    holds: 'how far a file was imported, as JSON; the hash of the file follows in the key',
    writer: 'transfer/import-mark.ts',
    isCopied: true,
  },
  deletion: {
    key: 'deletion ',
    holds: 'how far an account was deleted (Departure), as JSON; the account follows in the key',
    writer: 'store/departures.ts',
    isCopied: true,
  },
  sweeper: {
    key: 'sweeper',
    holds: 'the page of the table of Idempotency-Keys up to which expired ones were deleted',
    writer: 'write/keys/sweep-keys.ts',
    isCopied: false,
  },
  filled: {
    key: 'filled ',
    holds: 'the row after which filling of a column goes on, as JSON; its table and column follow in the key',
    writer: 'write/fill-absent.ts',
    isCopied: false,
  },
} as const satisfies { readonly [name: string]: MetaFact }

const meta = ident(metaTable)
const where = (key: string): string => `"key" = ${sqlText(key)}`

export const selectMeta = (key: string): string => `SELECT "value" FROM ${meta} WHERE ${where(key)}`

/** The value of a fact; null where there is none. */
export async function readMeta(on: Pick<Transaction, 'all'>, key: string): Promise<string | null> {
  const [row] = await on.all(selectMeta(key), [])
  return row ? String(row[0]) : null
}

export const forgetMeta = (key: string): string => `DELETE FROM ${meta} WHERE ${where(key)}`

/** Deletes all rows of a fact of which there are several. */
export const forgetAllMeta = ({ key }: MetaFact): string =>
  `DELETE FROM ${meta} WHERE "key" LIKE ${sqlText(`${key}%`)}`

/** `[key]` of all rows of a fact of which there may be several. */
export const selectAllMeta = ({ key }: MetaFact): string =>
  `SELECT "key" FROM ${meta} WHERE "key" LIKE ${sqlText(`${key}%`)}`

/** `[key, value]` of them, by key. */
export const selectMetaValues = ({ key }: MetaFact): string =>
  `SELECT "key", "value" FROM ${meta} WHERE "key" LIKE ${sqlText(`${key}%`)} ORDER BY "key"`

/** Stores a value, also in place of another. */
export const upsertMeta = (key: string, value: string): string => insertOr(key, value, 'excluded."value"')

/** Adds 1 to a value that is a number; the first is 1. */
export const countMeta = (key: string): string =>
  insertOr(key, '1', `CAST(CAST(${meta}."value" AS integer) + 1 AS text)`)

const insertOr = (key: string, value: string, otherwise: string): string =>
  `INSERT INTO ${meta} ("key", "value") VALUES (${sqlText(key)}, ${sqlText(value)}) ON CONFLICT ("key") DO UPDATE SET "value" = ${otherwise}`

/** Stores a value where there is none yet. */
export const addMeta = (dialect: Dialect, key: string, value: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `INSERT INTO ${meta} ("key", "value") VALUES (${sqlText(key)}, ${bind('string', value)}) ON CONFLICT DO NOTHING`,
  )

/** Replaces the value that was read. Another process may have replaced it meanwhile: then nothing is written. */
export const replaceMeta = (dialect: Dialect, key: string, value: string, read: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `UPDATE ${meta} SET "value" = ${bind('string', value)} WHERE ${where(key)} AND "value" = ${bind('string', read)}`,
  )

/** What a copy of the rows of another store has and must not keep. */
export const forgetUncopied: readonly string[] = Object.values<MetaFact>(metaFacts)
  .filter(({ isCopied }) => !isCopied)
  .map(forgetAllMeta)

export const emptyMeta = `DELETE FROM ${meta}`

/** Whether a database has the table. */
export const anyMeta = `SELECT 1 FROM ${meta} WHERE 1 = 0`

/** Until the transaction ends, others that write a fact wait. */
export const lockMeta = `LOCK TABLE ${meta} IN EXCLUSIVE MODE`
