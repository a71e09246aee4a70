import type { Resource } from '../compile/model.ts'

/** Ids of rows, by resource and account, each with the line that has it. */
export class FileIds {
  readonly #ids = new Map<Resource, Map<string, Map<string, number>>>()

  add(resource: Resource, account: string, id: string, line: number): void {
    const accounts = this.#ids.get(resource) ?? new Map<string, Map<string, number>>()
    this.#ids.set(resource, accounts)
    const ids = accounts.get(account) ?? new Map<string, number>()
    accounts.set(account, ids.set(id, line))
  }

  lineOf(resource: Resource, account: string, id: string): number | null {
    return this.#ids.get(resource)?.get(account)?.get(id) ?? null
  }

  /** All of them: `[resource, account, ids]` each. */
  *groups(): Generator<readonly [Resource, string, readonly string[]]> {
    for (const [resource, accounts] of this.#ids)
      for (const [account, ids] of accounts) yield [resource, account, [...ids.keys()]]
  }
}
