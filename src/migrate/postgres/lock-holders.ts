import { sqlText } from '../../kinds/sql.ts'
import { type Row, type Store, textOrNull } from '../../store/store.ts'

const session = 'a.application_name, extract(epoch FROM now() - a.xact_start)::int, left(a.query, 100)'

/** A sentence about the oldest transaction that has a lock on one of the tables. */
export async function holderOf(store: Store, tables: readonly string[], spread: boolean): Promise<string> {
  const row = await store.first(spread ? onCluster(tables) : onServer(tables), [])
  return row ? described(row) : 'The session that has it is not seen: it ended just now.'
}

const onServer = (tables: readonly string[]): string =>
  `SELECT a.pid, ${session} FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid JOIN pg_catalog.pg_class t ON t.oid = l.relation
   WHERE l.granted AND t.relname IN (${tables.map(sqlText).join(', ')}) AND t.relnamespace = current_schema()::regnamespace AND l.pid <> pg_backend_pid()
   ORDER BY a.xact_start LIMIT 1`

/** On a cluster, locks are on the tables of every node and on their shards. The number of a session is one that every node knows. */
const onCluster = (tables: readonly string[]): string =>
  `SELECT a.global_pid, ${session} FROM citus_locks l JOIN citus_stat_activity a ON a.global_pid = l.global_pid AND NOT a.is_worker_query
   WHERE l.granted AND l.relation_name ~ ${sqlText(`^(${tables.join('|')})(_[0-9]+)?$`)}
   ORDER BY a.xact_start LIMIT 1`

/** The same about the transaction that an index of the table waits for; null where it waits for none. */
export async function indexWaitsFor(store: Store, table: string): Promise<string | null> {
  const row = await store.first(
    `SELECT a.pid, ${session} FROM pg_catalog.pg_stat_progress_create_index p JOIN pg_catalog.pg_stat_activity a ON a.pid = p.current_locker_pid
     WHERE p.relid = to_regclass(quote_ident(${sqlText(table)}))`,
    [],
  )
  return row ? described(row) : null
}

function described([pid, application, seconds, query]: Row): string {
  const name = textOrNull(application) ? ` of ${application}` : ''
  return `Session ${pid}${name} is in a transaction since ${Number(seconds ?? 0)} s: ${String(query ?? '').replaceAll(/\s+/g, ' ')}.`
}
