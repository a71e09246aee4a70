import type { Model, Resource } from '../compile/model.ts'
import type { Table } from '../migrate/wanted/table.ts'
import { wantedTables } from '../migrate/wanted/wanted-tables.ts'
import { inReferenceOrder } from '../transfer/resource-order.ts'

/** A part of deleting an account: the rows of a table, or references to rows that go before the ones that have them. */
export type AccountPart =
  | { readonly kind: 'rows'; readonly table: Table }
  | { readonly kind: 'references'; readonly table: Table; readonly column: string }

/** What an account has, and what stays of it. */
export interface AccountParts {
  /** In the order in which they are deleted. */
  readonly parts: readonly AccountPart[]
  readonly kept: readonly Resource[]
}

/** Keys end first. What counts calls ends last: calls are counted until then. */
const first = ['nounkit_api_keys']
const last = ['nounkit_usage', 'nounkit_usage_details']

/** Every table of the store that has rows of accounts, whoever adds one: each is deleted from, unless it is declared to be kept. */
export function accountParts(model: Model): AccountParts {
  const tables = wantedTables(model).filter(({ columns }) =>
    columns.some(({ name }) => name === 'account_id'),
  )
  const own = [...model.stored.values()].filter(({ shared }) => !shared)
  const kept = own.filter(({ keptOnDeletion }) => keptOnDeletion)
  const going = inReferenceOrder(own.filter((resource) => !kept.includes(resource))).toReversed()
  const named = (name: string): Table[] => tables.filter((table) => table.name === name)
  const ofResources = new Set([...model.stored.values()].map(({ table }) => table))
  const engine = tables.filter(
    ({ name }) => !ofResources.has(name) && !first.includes(name) && !last.includes(name),
  )
  const rows = [
    ...first.flatMap(named),
    ...going.flatMap(({ table }) => named(table)),
    ...engine,
    ...last.flatMap(named),
  ]
  const references = own.flatMap((resource) =>
    unset(resource, going).flatMap((column) =>
      named(resource.table).map((table) => ({ kind: 'references' as const, table, column })),
    ),
  )
  return { parts: [...references, ...rows.map((table) => ({ kind: 'rows' as const, table }))], kept }
}

/** The columns of a resource that refer to rows which go before its own. A row cannot need itself, so that these are optional. */
function unset(resource: Resource, going: readonly Resource[]): readonly string[] {
  const at = going.indexOf(resource)
  return resource.references.flatMap(({ target, field, optional }) => {
    const targetAt = going.indexOf(target)
    const goesFirst = targetAt >= 0 && (at < 0 || targetAt <= at)
    const column = resource.field.get(field)?.column
    return optional && goesFirst && column !== undefined ? [column] : []
  })
}
