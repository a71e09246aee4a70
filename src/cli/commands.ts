export interface Command {
  readonly usage: string
  readonly does: string
  readonly examples?: readonly string[]
  run(args: string[]): Promise<number>
}

/** Each command is loaded when it is run: `serve` should not wait for code that only `diff` needs. */
export const commands: { readonly [name: string]: Command } = {
  init: {
    usage: 'init [DIR] [--yes] [--force]',
    does: 'writes a small project with an API of its own',
    run: async (args) => (await import('./init-command.ts')).initCommand(args),
  },
  dev: {
    usage: 'dev [API] [--port 3000] [--host 127.0.0.1]',
    does: 'serves the API, and again at every change of its declaration',
    run: async (args) => (await import('./dev-command.ts')).devCommand(args),
  },
  serve: {
    usage: 'serve API [--port 3000] [--host 127.0.0.1] [--workers N] [--ops-port N]',
    does: 'migrates the store and serves the API',
    run: async (args) => (await import('./serve-command.ts')).serveCommand(args),
  },
  check: {
    usage: 'check API',
    does: 'compiles the declaration, compares it with its frozen contracts, and checks its types',
    run: async (args) => (await import('./check-command.ts')).checkCommand(args),
  },
  migrate: {
    usage:
      'migrate API [--dry-run] [--fill orders.note=TEXT] [--accept-data-loss] [--rename] [--force] [--citus] [--shards N]',
    does: 'migrates the store to fit the declaration',
    run: async (args) => (await import('./migrate-command.ts')).migrateCommand(args),
  },
  reset: {
    usage: 'reset API [--seed] [--force NAME]',
    does: 'empties the store of an API that is not published yet',
    run: async (args) => (await import('./reset-command.ts')).resetCommand(args),
  },
  keys: {
    usage:
      'keys create|list|revoke|rotate API --account ACCOUNT --name NAME [--scopes a,b] [--expires 90d] [--subject S] [--claim name=text] [--claim name:=JSON]',
    does: 'creates, lists, revokes and rotates API keys',
    run: async (args) => (await import('./keys-command.ts')).keysCommand(args),
  },
  openapi: {
    usage: 'openapi API v2',
    does: "prints a version's OpenAPI document",
    run: async (args) => (await import('./openapi-command.ts')).openapiCommand(args),
  },
  publish: {
    usage: 'publish API v2',
    does: "freezes a version's contract",
    run: async (args) => (await import('./publish-command.ts')).publishCommand(args),
  },
  diff: {
    usage: 'diff API v1 v2 [--raw] [--json]',
    does: 'lists the changes between two versions, with verdicts',
    run: async (args) => (await import('./diff-command.ts')).diffCommand(args),
  },
  guide: {
    usage: 'guide API v1 v2 [--affected]',
    does: 'prints the migration guide, as Markdown',
    run: async (args) => (await import('./guide-command.ts')).guideCommand(args),
  },
  explain: {
    usage:
      'explain API "GET /v2/orders?include=customer" [--account A] [--scopes a,b] [--subject S] [--claim name=text]',
    does: 'shows what a read does for a caller: the rules, the statement, what is bound, the plan',
    run: async (args) => (await import('./explain-command.ts')).explainCommand(args),
  },
  events: {
    usage: 'events API --account ACCOUNT [--type orders.created] [--version v2] [--follow] [--json]',
    does: 'prints what happened to the rows of an account',
    run: async (args) => (await import('./events-command.ts')).eventsCommand(args),
  },
  usage: {
    usage: 'usage API [--version v1] [--json]',
    does: 'shows who still calls a version, and which parts they use',
    run: async (args) => (await import('./usage-command.ts')).usageCommand(args),
  },
  contact: {
    usage: 'contact API v1 --consumer NAME --note "…"',
    does: 'records that a consumer was told',
    run: async (args) => (await import('./contact-command.ts')).contactCommand(args),
  },
  retire: {
    usage: 'retire API v1 [--dry-run] [--undo]',
    does: 'retires a version that nobody needs any more, or says what blocks that',
    run: async (args) => (await import('./retire-command.ts')).retireCommand(args),
  },
  export: {
    usage: 'export [API] [--resource orders] [--account ACCOUNT]',
    does: 'writes rows to standard output, each as a line of JSON',
    examples: [
      'nounkit export > everything.jsonl',
      'nounkit export --resource orders --account acme > orders.jsonl',
    ],
    run: async (args) => (await import('./export-command.ts')).exportCommand(args),
  },
  import: {
    usage:
      'import [API] FILE [--resource orders] [--account ACCOUNT] [--dry-run] [--no-events] [--again] [--json]',
    does: 'inserts the rows of a file of JSON lines or CSV, after all of them were checked',
    examples: [
      'nounkit import customers.csv --resource customers --account acme --dry-run',
      'nounkit import everything.jsonl',
      'zcat orders.jsonl.gz | nounkit import - --resource orders --account acme',
    ],
    run: async (args) => (await import('./import-command.ts')).importCommand(args),
  },
  copy: {
    usage: 'copy [API] --to URL [--from URL] [--json]',
    does: 'copies everything in the store to an empty one, on the same or another database',
    examples: [
      'nounkit copy --from sqlite:shop.db --to postgres://api:secret@localhost/shop',
      'nounkit copy --from postgres://localhost/shop --to sqlite:shop.db',
    ],
    run: async (args) => (await import('./copy-command.ts')).copyCommand(args),
  },
  backup: {
    usage: 'backup [API] FILE [--force] [--json]',
    does: 'writes a consistent copy of a SQLite store, while it serves',
    examples: ['nounkit backup backups/monday.db', 'nounkit backup examples/shop shop.bak --force'],
    run: async (args) => (await import('./backup-command.ts')).backupCommand(args),
  },
}
