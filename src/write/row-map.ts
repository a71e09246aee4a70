import type { Resource } from '../compile/model.ts'

/** Something for each of some rows of one account. */
export class RowMap<T> {
  readonly #byResource = new Map<Resource, Map<string, T>>()

  get(resource: Resource, id: string): T | undefined {
    return this.#byResource.get(resource)?.get(id)
  }

  set(resource: Resource, id: string, value: T): void {
    const rows = this.#byResource.get(resource)
    if (rows) rows.set(id, value)
    else this.#byResource.set(resource, new Map([[id, value]]))
  }

  delete(resource: Resource, id: string): void {
    this.#byResource.get(resource)?.delete(id)
  }
}
