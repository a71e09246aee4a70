import type { FieldKind } from '../../kinds/kinds.ts'
import { objectName } from '../../plan/object-name.ts'
import { metaTable } from '../../store/meta.ts'
import type { Column, Index, Table } from './table.ts'

type ColumnKinds = { readonly [name: string]: FieldKind | `${FieldKind}?` }

interface EngineTable {
  readonly name: `nounkit_${string}`
  /** A kind, with `?` where NULL is allowed. Times are integers: milliseconds since 1970. */
  readonly columns: ColumnKinds
  readonly primaryKey: readonly string[]
  readonly uniques?: readonly (readonly string[])[]
  readonly indexes?: readonly (readonly string[])[]
  readonly longRows?: boolean
  /** The column by which the sweeper finds expired rows. */
  readonly sweptBy?: string
  /**
   * On Citus: the column by which rows are distributed, where it is not the account. A write to a table that is on every node locks all of
   * them, and fails while one is away.
   */
  readonly spreadBy?: 'id' | 'hash'
  /** The column in which PostgreSQL numbers the rows. */
  readonly numberedBy?: string
  /** Whether `nounkit copy` moves the rows; if not, why. */
  readonly copied: true | { readonly notBecause: string }
}

const tables: readonly EngineTable[] = [
  {
    name: metaTable,
    copied: true,
    columns: { key: 'string', value: 'string' },
    primaryKey: ['key'],
  },
  {
    name: 'nounkit_idempotency',
    copied: true,
    // The columns that the sweeper reads come first: a database reads a row from its start, and stores a long body elsewhere.
    columns: {
      expires_at: 'integer',
      completed_at: 'integer',
      fingerprint_version: 'integer',
      status: 'integer',
      account_id: 'id',
      key: 'string',
      fingerprint: 'string',
      location: 'string?',
      etag: 'string?',
      row_id: 'string?',
      body: 'string?',
    },
    primaryKey: ['account_id', 'key'],
    longRows: true,
    sweptBy: 'expires_at',
  },
  {
    // Events in the order in which they can be read. `data` is the row as JSON, `before` the former values of the fields that changed.
    name: 'nounkit_events',
    copied: true,
    columns: {
      account_id: 'id',
      position: 'integer',
      id: 'id',
      kind: 'string',
      resource: 'string',
      row_id: 'id',
      version: 'string',
      created_at: 'integer',
      data: 'string',
      before: 'string?',
    },
    primaryKey: ['account_id', 'position'],
    indexes: [['account_id', 'row_id', 'position']],
    longRows: true,
  },
  {
    // Events without a position yet. Only a store whose transactions do not commit in the order of their writes needs it.
    name: 'nounkit_event_inbox',
    copied: { notBecause: 'its events get their positions before the copy begins' },
    columns: {
      account_id: 'id',
      number: 'integer',
      kind: 'string',
      resource: 'string',
      row_id: 'id',
      version: 'string',
      created_at: 'integer',
      id_end: 'string',
      data: 'string',
      before: 'string?',
    },
    primaryKey: ['account_id', 'number'],
    numberedBy: 'number',
    longRows: true,
  },
  {
    // One row for each account: the position given last, and the position up to which events were deleted because of their age.
    name: 'nounkit_event_heads',
    copied: true,
    columns: { account_id: 'id', last: 'integer', swept: 'integer' },
    primaryKey: ['account_id'],
  },
  {
    // Who changed which row, and what operators did: of an account, or of the whole store ('' as the account). Only the sweep and the deletion
    // of an account take rows away. What lists look for comes before the row as JSON. `unseen` are the write-only fields that changed.
    name: 'nounkit_audit_entries',
    copied: true,
    columns: {
      account_id: 'id',
      id: 'id',
      created_at: 'integer',
      action: 'string',
      resource: 'string?',
      row_id: 'string?',
      consumer: 'string?',
      subject: 'string?',
      operator: 'string?',
      request_id: 'string?',
      version: 'string?',
      unseen: 'string?',
      data: 'string?',
      before: 'string?',
    },
    primaryKey: ['account_id', 'id'],
    indexes: [['account_id', 'row_id', 'id'], ['created_at']],
    longRows: true,
  },
  {
    name: 'nounkit_api_keys',
    copied: true,
    columns: {
      id: 'id',
      account_id: 'string',
      name: 'string',
      hash: 'string',
      prefix: 'string?',
      scopes: 'json?',
      kind: 'string?',
      contact: 'string?',
      created_at: 'integer',
      expires_at: 'integer?',
      revoked_at: 'integer?',
      subject: 'string?',
      claims: 'json?',
    },
    // Keys are looked up by hash before the account is known. On Citus a key's hash places it with its account all the same (api-key.ts).
    primaryKey: ['hash'],
    // By name for commands, by id for what rests on a key.
    indexes: [
      ['account_id', 'name'],
      ['account_id', 'id'],
    ],
    spreadBy: 'hash',
  },
  {
    // Who may use the console. `password` is a scrypt hash, `link_hash` the SHA-256 of the one-time link. A session is valid in the epoch in
    // which it began: adding 1 to `epoch` ends all sessions.
    name: 'nounkit_operators',
    copied: true,
    columns: {
      name: 'string',
      created_at: 'integer',
      epoch: 'integer',
      password: 'string?',
      link_hash: 'string?',
      link_expires_at: 'integer?',
      revoked_at: 'integer?',
    },
    primaryKey: ['name'],
    uniques: [['link_hash']],
  },
  {
    name: 'nounkit_operator_sessions',
    copied: { notBecause: 'operators sign in to the console of the new store' },
    columns: {
      hash: 'string',
      operator: 'string',
      epoch: 'integer',
      created_at: 'integer',
      seen_at: 'integer',
      ends_at: 'integer',
    },
    primaryKey: ['hash'],
    indexes: [['ends_at']],
    spreadBy: 'hash',
  },
  {
    // Work that is to be done: a row until it is done. `due_at` is NULL when it has failed. `unique_text` is NULL once it has begun, so that
    // the unique index knows only of jobs that have not. Work at regular times is of the account ''.
    name: 'nounkit_jobs',
    copied: true,
    columns: {
      account_id: 'id',
      id: 'id',
      name: 'string',
      status: 'string',
      due_at: 'integer?',
      attempts: 'integer',
      created_at: 'integer',
      ended_at: 'integer?',
      // The row of nounkit_job_runners whose process runs it.
      runner: 'string?',
      unique_text: 'string?',
      last_error: 'string?',
      payload: 'string',
    },
    primaryKey: ['account_id', 'id'],
    uniques: [['account_id', 'name', 'unique_text']],
    indexes: [['status', 'due_at', 'id']],
    longRows: true,
  },
  {
    // A row for each process that runs jobs. It counts on in `beats` while the process lives: no clock says whether it does.
    name: 'nounkit_job_runners',
    copied: { notBecause: 'its processes run the jobs of the store that is copied' },
    columns: { id: 'string', beats: 'integer' },
    primaryKey: ['id'],
    spreadBy: 'id',
  },
  {
    // `account_id` is empty where no account is known.
    name: 'nounkit_usage',
    copied: true,
    columns: {
      account_id: 'string',
      consumer: 'string',
      version: 'string',
      day: 'string',
      operation: 'string',
      calls: 'integer',
      last_seen: 'integer',
    },
    primaryKey: ['account_id', 'consumer', 'version', 'day', 'operation'],
    indexes: [['day']],
  },
  {
    name: 'nounkit_usage_details',
    copied: true,
    columns: {
      account_id: 'string',
      consumer: 'string',
      version: 'string',
      day: 'string',
      resource: 'string',
      kind: 'string',
      name: 'string',
      calls: 'integer',
      last_seen: 'integer',
    },
    primaryKey: ['account_id', 'consumer', 'version', 'day', 'resource', 'kind', 'name'],
    indexes: [['day']],
  },
  {
    // One row for each process that counts calls.
    name: 'nounkit_recorders',
    copied: true,
    columns: {
      id: 'string',
      started_at: 'integer',
      last_flush_at: 'integer',
      ended_at: 'integer?',
      lost_at: 'integer?',
      // A JSON array: fields to which the process always gives a value, as `table.column`, and the sums that it keeps.
      requires: 'string?',
    },
    primaryKey: ['id'],
    // Every process writes here.
    spreadBy: 'id',
  },
  {
    // What each serving process shows of itself, for the console of any of them: JSON. The account is '' in every row, so that on Citus all are
    // on one node. Whoever wrote nothing for an hour is not shown; the next process that starts deletes the row.
    name: 'nounkit_process_figures',
    copied: { notBecause: 'its processes serve the store that is copied' },
    columns: {
      account_id: 'id',
      id: 'string',
      at: 'integer',
      form: 'integer',
      figures: 'string',
    },
    primaryKey: ['account_id', 'id'],
    longRows: true,
  },
  {
    // Who has which part of the housekeeping, and until when. On a Citus cluster also what a process reads on one node, instead of asking all
    // of them: whether there are webhook endpoints, and who looks.
    name: 'nounkit_marks',
    copied: { notBecause: 'the housekeeping of the store that is copied to writes them' },
    columns: { id: 'string', at: 'integer' },
    primaryKey: ['id'],
    spreadBy: 'id',
  },
  {
    name: 'nounkit_signals',
    copied: true,
    columns: { version: 'string', first_sent_at: 'integer', sunset: 'string?' },
    primaryKey: ['version'],
  },
  {
    name: 'nounkit_contacts',
    copied: true,
    columns: {
      account_id: 'string',
      id: 'string',
      version: 'string',
      consumer: 'string',
      note: 'string',
      told_by: 'string?',
      told_at: 'integer',
    },
    primaryKey: ['account_id', 'id'],
  },
  {
    name: 'nounkit_retirements',
    copied: true,
    columns: {
      version: 'string',
      number: 'integer',
      decided_at: 'integer',
      decided_by: 'string?',
      evidence: 'json',
      withdrawn_at: 'integer?',
      withdrawn_by: 'string?',
      withdrawn_why: 'string?',
    },
    primaryKey: ['version', 'number'],
    longRows: true,
  },
]

/** The engine's own tables. A new one is an entry above; a table with rows of accounts has `account_id` first in its primary key. */
export const engineTables: readonly Table[] = tables.map(toTable)

/** The engine's own tables whose rows `nounkit copy` leaves, each with the reason. */
export const notCopied: ReadonlyMap<string, string> = new Map(
  tables.flatMap(({ name, copied }) => (copied === true ? [] : [[name, copied.notBecause]])),
)

/** What the tables of the engine's own resources have that is no field: only the sending of webhooks reads and writes it. */
const hidden: { readonly [table: string]: Required<Pick<EngineTable, 'columns' | 'indexes'>> } = {
  webhook_endpoints: {
    columns: {
      // The process that calls this endpoint, and until when no other one may.
      lease_owner: 'string?',
      lease_until: 'integer?',
    },
    indexes: [['lease_owner']],
  },
  webhook_deliveries: {
    columns: {},
    indexes: [['account_id', 'endpoint_id', 'next_attempt_at'], ['next_attempt_at'], ['created_at']],
  },
}

type HiddenParts = Pick<Table, 'columns' | 'indexes'>

export const noHiddenParts: HiddenParts = { columns: [], indexes: [] }

export function hiddenParts(table: string): HiddenParts {
  const { columns = {}, indexes = [] } = hidden[table] ?? {}
  const nullable = (name: string): boolean => name === 'next_attempt_at' || columns[name] !== undefined
  return {
    columns: Object.entries(columns).map(([name, kind]) => toColumn(name, kind)),
    indexes: indexes.map((set) => ({
      name: objectName(table, set, 'idx'),
      unique: false,
      columns: set.map((name) => ({ name, nullable: nullable(name) })),
    })),
  }
}

function toTable(table: EngineTable): Table {
  const { name, columns, primaryKey, uniques = [], indexes = [], longRows, sweptBy, numberedBy } = table
  const list = Object.entries(columns).map(([column, kind]) => ({
    ...toColumn(column, kind),
    ...(column === numberedBy && { numbersRows: true }),
  }))
  const parts = (names: readonly string[]) =>
    names.map((part) => ({ name: part, nullable: list.some((c) => c.name === part && c.nullable) }))
  return {
    name,
    columns: list,
    primaryKey,
    indexes: [
      ...uniques.map((set) => ({ name: objectName(name, set, 'key'), unique: true, columns: parts(set) })),
      ...indexes.map((set) => ({ name: objectName(name, set, 'idx'), unique: false, columns: parts(set) })),
      ...(sweptBy ? [sweeperIndex(name, sweptBy)] : []),
    ],
    foreignKeys: [],
    checks: [],
    spread: primaryKey[0] === 'account_id' ? 'account_id' : (table.spreadBy ?? 'everywhere'),
    ...(longRows && { longRows }),
  }
}

function sweeperIndex(table: string, column: string): Index {
  const columns = [{ name: column, nullable: false }]
  return { name: objectName(table, [column], 'idx'), unique: false, columns, forSweeper: true }
}

function toColumn(name: string, kind: string): Column {
  const nullable = kind.endsWith('?')
  return { name, kind: (nullable ? kind.slice(0, -1) : kind) as FieldKind, nullable, default: undefined }
}
