import type { Contract, ContractField, ContractResource } from '../contract-format.ts'
import { hyphenated } from '../names/name-rules.ts'
import { movesIn } from '../resources/states.ts'
import { inOrderOf, membersInOrderOf, schemaInOrderOf } from '../schemas/order.ts'
import {
  type Draft,
  type DraftField,
  type DraftSub,
  type DraftTotals,
  type DraftView,
  viewOfResource,
} from './view-draft.ts'

/**
 * A published version shows everything in the order of its contract, even when the declaration was reordered since. All
 * that a consumer sees in an order (rows, documents, indexes, texts of problems) is made from the views, so that this is
 * the only place where the order of a version is decided.
 */
export const inFrozenOrder = (draft: Draft, frozen: Contract): Draft =>
  new Map(
    keysInOrderOf(draft, frozen.resources).map(([name, view]) => {
      const contract = frozen.resources[name]
      return [name, contract ? viewInOrder(view, contract, draft, frozen) : view]
    }),
  )

const keysInOrderOf = <T>(map: ReadonlyMap<string, T>, known: object): readonly (readonly [string, T])[] =>
  inOrderOf(map.keys(), Object.keys(known)).map((name) => [name, map.get(name) as T])

const viewInOrder = (
  view: DraftView,
  contract: ContractResource,
  draft: Draft,
  frozen: Contract,
): DraftView => ({
  ...view,
  fields: new Map(
    keysInOrderOf(view.fields, contract.fields).map(([name, field]) => [
      name,
      fieldInOrder(field, contract.fields[name]),
    ]),
  ),
  relations: new Map(keysInOrderOf(view.relations, contract.relations)),
  filters: new Set(inOrderOf(view.filters, Object.keys(contract.filters))),
  sorts: new Set(inOrderOf(view.sorts, contract.sorts)),
  searched: new Set(inOrderOf(view.searched, contract.search ?? [])),
  under: underInOrder(view.under, draft, frozen),
  totals: view.totals && totalsInOrder(view.totals, contract, draft),
})

const totalsInOrder = (totals: DraftTotals, contract: ContractResource, draft: Draft): DraftTotals => {
  const rows = viewOfResource(draft, totals.of)?.[1]
  const inOrder = (stored: readonly string[], names: readonly string[] = []) =>
    inOrderOf(
      stored,
      names.map((name) => rows?.fields.get(name)?.field?.name ?? name),
    )
  return {
    ...totals,
    by: inOrder(totals.by, contract.totals?.by),
    sums: inOrder(totals.sums, contract.totals?.sums),
  }
}

const underInOrder = (under: readonly DraftSub[], draft: Draft, frozen: Contract): readonly DraftSub[] => {
  const byPath = new Map(
    under.map((sub) => {
      const owner = viewOfResource(draft, sub.owner)?.[1].name
      return [`/${owner}/{id}/${hyphenated(sub.relation)}`, sub]
    }),
  )
  return keysInOrderOf(byPath, frozen.paths).map(([, sub]) => sub)
}

const fieldInOrder = (field: DraftField, contract: ContractField | undefined): DraftField => {
  const { request, response, states } = contract ?? {}
  const schema = (request ?? response)?.schema
  return {
    ...field,
    schema: schema ? schemaInOrderOf(field.schema, schema) : field.schema,
    states:
      field.states && states
        ? { ...field.states, moves: membersInOrderOf(movesIn(field.states), states.moves, inOrderOf) }
        : field.states,
  }
}
