import type { Model } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { kinds } from '../../kinds/kinds.ts'
import { sqlText } from '../../kinds/sql.ts'
import { type Dialect, ident } from '../../plan/dialect.ts'
import { eventName } from '../../plan/event-form.ts'
import type { Planning } from '../plan/planning.ts'
import type { Reshape } from '../plan/table-change.ts'
import type { TableStatement } from '../plan/table-sql.ts'
import type { Reading } from './scan.ts'

/** Event types of webhook endpoints (`tasks.created`) and scopes of API keys (`tasks:read`) have names of resources, within JSON. */

const endpoints = 'webhook_endpoints'
const keys = 'nounkit_api_keys'
const verbs = [':read"', ':write"']

/** The statements by which the rename of a resource reaches the endpoints and keys that name it. */
export function namedStatements(
  { dialect }: Reading,
  model: Model,
  { from, table }: Reshape,
): readonly TableStatement[] {
  const [was, now] = [eventName(from), eventName(table.name)]
  if (was === now) return []
  const scopes = verbs.filter((verb) => !isAskedFor(model, was + verb.slice(0, -1)))
  const changed = (column: string, ends: readonly string[], type: string) => {
    const text = ends.reduce(
      (value, end) => `replace(${value}, ${sqlText(`"${was}${end}`)}, ${sqlText(`"${now}${end}`)})`,
      textOf(column),
    )
    return `${ident(column)} = CAST(${text} AS ${type})`
  }
  const { json, string } = kinds
  const [list, text] = [json[dialect.name].type, string[dialect.name].type]
  const hasEndpoints = [...model.stored.values()].some((one) => one.table === endpoints)
  return [
    ...(scopes.length > 0
      ? [
          `UPDATE ${ident(keys)} SET ${changed('scopes', scopes, list)} WHERE ${naming(dialect, 'scopes', was, ':')}`,
        ]
      : []),
    // The caller whose rights decide what an endpoint is told has scopes, too.
    ...(hasEndpoints
      ? [
          `UPDATE ${ident(endpoints)} SET ${changed('event_types', ['.'], list)}, ${changed('told_to', scopes, text)}, "version" = "version" + 1 WHERE ${naming(dialect, 'event_types', was, '.')} OR ${naming(dialect, 'told_to', was, ':')}`,
        ]
      : []),
  ].map((sql) => ({ sql }))
}

const textOf = (column: string): string => `CAST(${ident(column)} AS text)`

const naming = ({ name }: Dialect, column: string, resource: string, mark: string): string => {
  const place = name === 'sqlite' ? 'instr' : 'strpos'
  return `${place}(${textOf(column)}, ${sqlText(`"${resource}${mark}`)}) > 0`
}

/** A scope that the declaration names itself keeps its name when a resource is renamed. */
const isAskedFor = ({ scopes, head, resources }: Model, scope: string): boolean =>
  !resources.has(scope.replace(/:.*$/, '')) &&
  (scopes.has(scope) ||
    [...head.views.values()].some((view) => Object.values(view.scopes).some((rule) => rule === scope)))

/** Says which endpoints and keys name resources that are no longer declared. */
export async function noteNamed(planning: Planning, gone: readonly string[]): Promise<void> {
  const named = [
    { table: endpoints, column: 'event_types', mark: '.', holder: 'webhook endpoint', what: 'event types' },
    { table: keys, column: 'scopes', mark: ':', holder: 'API key', what: 'scopes' },
  ] as const
  for (const { table, column, mark, holder, what } of named)
    for (const name of gone.map(eventName)) {
      if (!planning.present.has(table) || gone.includes(table)) continue
      const rows = `${ident(table)} WHERE ${naming(planning.dialect, column, name, mark)}`
      const count = Number((await planning.session.all(`SELECT count(*) FROM ${rows}`))[0]?.[0])
      const have = count === 1 ? 'has' : 'have'
      if (count > 0) planning.notes.push(`${counted(count, holder)} still ${have} ${what} of ${name}`)
    }
}
