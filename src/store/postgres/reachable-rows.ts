import { sqlText } from '../../kinds/sql.ts'
import { ident } from '../../plan/dialect.ts'
import type { ReachableRows, Row, Session, TableRead } from '../store.ts'

/** A node that takes longer counts as away. */
const answerMs = 3_000

type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>

const nodesSql = `SELECT DISTINCT n.nodename::text, n.nodeport
  FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid) JOIN pg_dist_node AS n USING (groupid)
  WHERE s.logicalrelid = $1::text::regclass AND n.noderole = 'primary' ORDER BY 1, 2`

/** Runs a command, of which $4 is the part before the name of a shard and $5 the part behind, on every shard of table $1 that node $2:$3 has. */
const onNodeSql = `SELECT r.success::int, r.result
  FROM (SELECT array_agg(n.nodename::text) AS names, array_agg(n.nodeport) AS ports,
      array_agg($4::text || shard_name(s.logicalrelid, s.shardid) || $5::text) AS commands
    FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid) JOIN pg_dist_node AS n USING (groupid)
    WHERE s.logicalrelid = $1::text::regclass AND n.nodename = $2::text AND n.nodeport = $3::int) AS shards,
  master_run_on_worker(shards.names, shards.ports, shards.commands, false) AS r`

/** Citus refuses a statement over all shards while one node is away. So every node is asked by itself, for its shards. */
export async function readReachable(withSession: WithSession, read: TableRead): Promise<ReachableRows> {
  const table = ident(read.table)
  const nodes = await withSession((session) => session.all(nodesSql, [table]))
  const found = await Promise.all(
    nodes.map(async ([host, port]) => {
      const rows = await withSession(async (session) => {
        await session.script(`SET statement_timeout = ${answerMs}`)
        return rowsOf(await session.all(onNodeSql, [table, host ?? '', port ?? '', ...commandOf(read)]))
      }).catch(() => null)
      return { node: `${host}:${port}`, rows }
    }),
  )
  return {
    rows: found.flatMap(({ rows }) => rows ?? []),
    away: found.flatMap(({ node, rows }) => (rows === null ? [node] : [])),
  }
}

function commandOf({ columns, equal }: TableRead): readonly [before: string, behind: string] {
  const conditions = Object.entries(equal).map(([column, value]) => `${ident(column)} = ${sqlText(value)}`)
  return [
    `SELECT coalesce(json_agg(json_build_array(${columns.join(', ')})), '[]')::text FROM `,
    conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '',
  ]
}

/** Null where a shard could not be read. */
const rowsOf = (answers: readonly Row[]): readonly Row[] | null =>
  answers.every(([success]) => success === 1)
    ? answers.flatMap(([, result]) => JSON.parse(String(result)) as Row[])
    : null
