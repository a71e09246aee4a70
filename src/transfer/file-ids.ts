import type { Resource } from '../compile/model.ts'

/** Ids of rows, by resource and account, each with the line that has it. */
export class FileIds {
  readonly #ids = new Map<Resource, Map<string, Map<string, number>>>()

  /** The line that had the id before; null where it is new. */
  add(resource: Resource, account: string, id: string, line: number): number | null {
    const ids = this.#of(resource, account)
    const before = ids.get(id)
    if (before !== undefined) return before
    ids.set(id, line)
    return null
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  lineOf(resource: Resource, account: string, id: string): number | null {
    return this.#ids.get(resource)?.get(account)?.get(id) ?? null
  }

  /** All of them: `[resource, account, ids]` each. */
  *groups(): Generator<readonly [Resource, string, readonly string[]]> {
    for (const [resource, accounts] of this.#ids)
      for (const [account, ids] of accounts) yield [resource, account, [...ids.keys()]]
  }

  #of(resource: Resource, account: string): Map<string, number> {
    const accounts = this.#ids.get(resource) ?? new Map<string, Map<string, number>>()
    if (accounts.size === 0) this.#ids.set(resource, accounts)
    const ids = accounts.get(account) ?? new Map<string, number>()
    if (ids.size === 0) accounts.set(account, ids)
    return ids
  }
}
