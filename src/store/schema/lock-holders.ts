import { sqlText } from '../../plan/dialect.ts'
import { type Row, type Store, textOrNull } from '../store.ts'

const session = `a.pid, a.application_name, extract(epoch FROM now() - a.xact_start)::int, left(a.query, 100)`

/** A sentence about the oldest transaction that has a lock on one of the tables. */
export async function holderOf(store: Store, tables: readonly string[]): Promise<string> {
  const names = tables.map(sqlText).join(', ')
  const row = await store.first(
    `SELECT ${session} FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid JOIN pg_catalog.pg_class t ON t.oid = l.relation
     WHERE l.granted AND t.relname IN (${names}) AND t.relnamespace = current_schema()::regnamespace AND l.pid <> pg_backend_pid()
     ORDER BY a.xact_start LIMIT 1`,
    [],
  )
  return row
    ? described(row)
    : 'The session that has it is not seen from here: it ended just now, or, on Citus, is on another node (citus_stat_activity).'
}

/** The same about the transaction that an index of the table waits for; null where it waits for none. */
export async function indexWaitsFor(store: Store, table: string): Promise<string | null> {
  const row = await store.first(
    `SELECT ${session} FROM pg_catalog.pg_stat_progress_create_index p JOIN pg_catalog.pg_stat_activity a ON a.pid = p.current_locker_pid
     WHERE p.relid = to_regclass(quote_ident(${sqlText(table)}))`,
    [],
  )
  return row ? described(row) : null
}

function described([pid, application, seconds, query]: Row): string {
  const name = textOrNull(application) ? ` of ${application}` : ''
  return `Session ${pid}${name} is in a transaction since ${Number(seconds ?? 0)} s: ${String(query ?? '').replaceAll(/\s+/g, ' ')}.`
}
