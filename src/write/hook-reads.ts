import type { Call } from '../call/call.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import type { Listing, Seeing } from '../declare/hooks.ts'
import type { AnyRow } from '../declare/reach.ts'
import type { DeclaredResource } from '../declare/relation.ts'
import type { Transaction } from '../store/store.ts'
import { type Conditions, readConditions, readOrder } from './hook-conditions.ts'
import type { Asked, HookNames } from './hook-names.ts'
import { whoAsks } from './judge.ts'
import type { WriteRequest } from './write-request.ts'

/** A resource as a hook gives it. */
export type NamedResource = string | DeclaredResource

/** What hooks read with, for resources of which nothing is known. */
export interface HookReads {
  find(resource: Resource, id: string, options: Seeing): Promise<AnyRow | null>
  list(name: NamedResource, where: StoredRow, options?: Seeing & Listing<string>): Promise<readonly AnyRow[]>
  count(name: NamedResource, where: StoredRow, options?: Seeing): Promise<number>
  exists(name: NamedResource, where: StoredRow, options?: Seeing): Promise<boolean>
  sum(name: NamedResource, field: string, where: StoredRow, options?: Seeing): Promise<number | string>
}

/** The most rows of a list. */
const mostRows = 1_000

/** Where code of the declaration reads: in the transaction of its hook, or in the store. */
export interface ReadBy extends Pick<WriteRequest, 'writer' | 'call'> {
  readonly tx: Transaction
}

export function hookReads(by: ReadBy, names: HookNames): HookReads {
  const { writer, tx, call } = by
  const { planner } = writer
  const asked = (asked: Asked, name: NamedResource, where: StoredRow) => {
    const resource = names.resource(asked, name)
    names.fields(asked, resource, where)
    const mistake = (what: string) => names.mistake(asked, resource, what)
    return { resource, mistake, conditions: readConditions(resource, where, mistake) }
  }
  const given = ({ values }: Pick<Conditions, 'values'>, limit = 0) => ({ ...whoAsks(by), values, limit })
  const rows = async (
    resource: Resource,
    { conditions, order, limit }: Selected,
    seeing: Seeing,
  ): Promise<readonly AnyRow[]> => {
    const selection = { where: conditions.where, order, most: tx.dialect.pageSize(limit) }
    const { text, bind } = planner.find(resource, selection, sightOf(call, seeing))
    const found = await tx.all(text, bind(given(conditions, limit)))
    return found.map((row) => JSON.parse(String(row[0])) as AnyRow)
  }
  return {
    async find(resource, id, options) {
      const conditions = { where: [oneId], values: [id] }
      return (await rows(resource, { conditions, order: [], limit: 1 }, options))[0] ?? null
    },
    async list(name, where, options = {}) {
      const { resource, mistake, conditions } = asked('list', name, where)
      const order = readOrder(resource, options.orderBy, mistake)
      const limit = readLimit(options.limit, mistake)
      const found = await rows(resource, { conditions, order, limit: limit ?? mostRows + 1 }, options)
      if (found.length <= mostRows) return found
      throw mistake(
        'more than 1,000 rows meet the conditions. Narrow them, give a limit, or use count, exists or sum.',
      )
    },
    async count(name, where, options = {}) {
      const { resource, conditions } = asked('count', name, where)
      const { text, bind } = planner.count(resource, conditions.where, sightOf(call, options))
      return Number((await tx.first(text, bind(given(conditions))))?.[0])
    },
    async exists(name, where, options = {}) {
      const { resource, conditions } = asked('exists', name, where)
      const { text, bind } = planner.any(resource, conditions.where, sightOf(call, options))
      return (await tx.first(text, bind(given(conditions)))) !== undefined
    },
    async sum(name, field, where, options = {}) {
      names.summand(names.resource('sum', name), field)
      const { resource, conditions } = asked('sum', name, where)
      const { text, bind } = planner.sum(resource, field, conditions.where, sightOf(call, options))
      const row = await tx.first(text, bind(given(conditions)))
      return JSON.parse(String(row?.[0]))
    },
  }
}

interface Selected {
  readonly conditions: Conditions
  readonly order: ReturnType<typeof readOrder>
  readonly limit: number
}

const oneId = Object.freeze({ field: 'id', operator: 'eq', values: 1, withNull: false })

/** The scopes that decide which rows a hook's read sees; null for all rows of the account. */
const sightOf = ({ caller }: Call, { asCaller }: Seeing) => (asCaller ? caller.scopes : null)

function readLimit(given: unknown, mistake: (what: string) => Error): number | null {
  if (given === undefined) return null
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= mostRows) return Number(given)
  throw mistake(`limit must be a whole number from 1 to ${mostRows}.`)
}
