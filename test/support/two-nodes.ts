import { hashText } from '../../src/store/postgres/hash-text.ts'

/** The catalogue of a Citus cluster of two nodes with a shard each, on a server that is one machine. Needs `nounkit_idempotency`. */
export const twoNodesSql = `
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int, repmodel "char");
  CREATE TABLE pg_dist_shard AS SELECT 'nounkit_idempotency'::regclass AS logicalrelid, shardid, shardminvalue
    FROM (VALUES (1, '-2147483648'), (2, '0')) AS shards (shardid, shardminvalue);
  CREATE TABLE pg_dist_placement AS SELECT shardid, shardid AS groupid FROM pg_dist_shard;
  CREATE TABLE pg_dist_node AS SELECT groupid, 'node-' || groupid AS nodename, 5432 AS nodeport, 'primary' AS noderole, true AS isactive
    FROM pg_dist_placement`

/** An account whose rows are on that node; another for each number. */
export function accountOn(node: 1 | 2, number = 0): string {
  for (let at = 0; ; at++) {
    const account = `account-${number}-${at}`
    if (hashText(account) < 0 === (node === 1)) return account
  }
}
