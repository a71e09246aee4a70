import type { DetailKind } from '../compile/change-kinds/usage-traces.ts'
import type { SubCollection, Version, View } from '../compile/model.ts'

/** The consumer of calls without credentials, and, when memory is full, of calls that are no longer counted by consumer. */
export const anonymous = 'anonymous'

/**
 * The consumer of calls that were refused for missing credentials, or answered 410. Reports show them, but they do not block a
 * retirement: they lose nothing by it, and any scanner could block it for ever.
 */
export const refused = 'refused'

export interface Count {
  calls: number
  lastSeen: number
}
export interface OperationCount extends Count {
  readonly operation: string
}
export type DetailCounts = { readonly [K in DetailKind]: Map<string, Count> }

export interface ConsumerCounts {
  readonly account: string
  readonly consumer: string
  /** By the collection that was called; then one slot for each method, and another for calls to one row. */
  readonly operations: Map<View | SubCollection, (OperationCount | undefined)[]>
  readonly details: Map<View, DetailCounts>
}

type Accounts = Map<string, Map<string, ConsumerCounts>>
export type DayCounts = Map<Version, Accounts>

/** `[account, consumer, version, day, operation, calls, last seen]` */
export type UsageRow = readonly [string, string, string, string, string, number, number]
/** `[account, consumer, version, day, resource, kind, name, calls, last seen]` */
export type DetailRow = readonly [string, string, string, string, string, string, string, number, number]

export interface Rows {
  readonly usage: UsageRow[]
  readonly details: DetailRow[]
}

export const newRows = (): Rows => ({ usage: [], details: [] })

/** Adds all counts of one day, as rows. */
export function addRows(counts: DayCounts, day: string, into: Rows): void {
  for (const [{ name: version }, accounts] of counts) {
    for (const consumers of accounts.values()) {
      for (const { account, consumer, operations, details } of consumers.values()) {
        for (const slots of operations.values()) {
          for (const count of slots) {
            if (count)
              into.usage.push([account, consumer, version, day, count.operation, count.calls, count.lastSeen])
          }
        }
        for (const [view, kinds] of details) {
          for (const [kind, names] of Object.entries(kinds)) {
            for (const [name, { calls, lastSeen }] of names)
              into.details.push([account, consumer, version, day, view.name, kind, name, calls, lastSeen])
          }
        }
      }
    }
  }
}
