import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = new URL('../src', import.meta.url).pathname
const files = globSync('**/*.ts', { cwd: source }).sort()
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8')

/** These folders have the statements for rows of resources. Migrations, copies and deletions of accounts change rows, but never for a request. */
const makesStatements =
  /^(plan\/write-(statements|planner)\.ts|migrate\/|transfer\/copy-statements\.ts|accounts\/delete-part\.ts)/

/** Names of tables that are computed, in files whose tables are all the engine's own. */
const computed: { readonly [file: string]: string } = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  'lifecycle/sweep-usage.ts': '"${table}"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  'lifecycle/count-tables.ts': '${ident(table.name)}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  'plan/row-array.ts': '${ident(array.table)}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  'store/meta.ts': '${meta}',
}

/** What describes an array of rows for `plan/row-array.ts`, with the table that the rows are put into. */
const tablesOfArrays = [
  'plan/audit.ts: entryArray of auditTable',
  'plan/events.ts: eventArray of inboxTable',
  'plan/write-statements.ts: rowArray of resource.table',
]

/** Constants with names of the engine's own tables. */
const own = /\b(key|event|inbox|head|audit)Table\b/

/**
 * Endpoints, their secrets and deliveries are resources that requests write like all others. What sending itself writes to them, such as
 * leases and attempts, is in these files.
 */
const sendingWrites = [
  'webhooks/delivery-rows.ts',
  'webhooks/end-endpoints.ts',
  'webhooks/endpoint-rows.ts',
  'webhooks/leases.ts',
  'webhooks/sweep-deliveries.ts',
]

/** Whether a table's name in a statement is that of one of the engine's own tables. */
const isOwn = (file: string, table: string): boolean => {
  if (table.startsWith('"webhook_')) return sendingWrites.includes(file)
  if (table.startsWith('"nounkit_') || computed[file] === table) return true
  const constant = /^\$\{(?:ident\()?(\w+)\)?\}$/.exec(table)?.[1]
  return (
    own.test(`${constant}`) || new RegExp(`const ${constant} = .*(nounkit_|${own.source})`).test(textOf(file))
  )
}

test('only write/ uses the statements that change rows', () => {
  const users = files.filter((file) => /plan\/write-(statements|planner)\.ts'/.test(textOf(file)))
  expect(users.length).toBeGreaterThan(0)
  expect(users.filter((file) => !file.startsWith('write/'))).toEqual([])
})

test('no other module has an INSERT, UPDATE or DELETE for a table that is not the engine’s own', () => {
  const statement = /\b(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) (\$\{[^}]*\}|"[^"]*")/g
  let seen = 0
  const strangers = files
    .filter((file) => !makesStatements.test(file))
    .flatMap((file) =>
      [...textOf(file).matchAll(statement)].flatMap(([text, table = '']) => {
        seen++
        return isOwn(file, table) ? [] : [`${file}: ${text}`]
      }),
    )
  expect(strangers).toEqual([])
  expect(seen).toBeGreaterThan(10)
})

test('rows are put from an array into events and audit entries, and into resources by the statements that only write/ uses', () => {
  const declared = files.flatMap((file) =>
    [...textOf(file).matchAll(/const (\w+)\b[^\n]*\bRowArray\b[^\n]*\{\n\s*table: ([\w.]+)/g)].map(
      ([, name, table]) => `${file}: ${name} of ${table}`,
    ),
  )
  expect(declared).toEqual(tablesOfArrays)
})

test('nobody changes an audit entry, and only the sweep and the deletion of an account take entries away', () => {
  const naming = files.filter((file) => /nounkit_audit_entries|\bauditTable\b/.test(textOf(file)))
  const verbs = naming.flatMap((file) =>
    [...textOf(file).matchAll(/\b(INSERT INTO|UPDATE|DELETE FROM) (\$\{[^}]*\}|"[^"]*")/g)].map(
      ([, verb, table]) => `${file}: ${verb} ${table}`,
    ),
  )
  expect(verbs).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    'plan/audit-reads.ts: DELETE FROM ${table}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    'plan/audit.ts: INSERT INTO ${ident(auditTable)}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    'plan/audit.ts: INSERT INTO ${ident(auditTable)}',
  ])
  const sweeping = files.filter((file) => /\bdeleteEntries\b/.test(textOf(file)))
  expect(sweeping).toEqual(['audit/sweep-audit.ts', 'plan/audit-reads.ts'])
})
