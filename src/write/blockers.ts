import type { BelongsToModel, Resource } from '../compile/model.ts'
import { goesAlong } from '../compile/resources/dependents.ts'
import type { Writer } from './writer.ts'

/** A resource whose rows prevent a delete: they reference the row, or a row that would be deleted along with it. */
export interface Blocker {
  readonly resource: Resource
  readonly names: 'the row' | 'a row deleted along'
}

/** Rows of one resource that a delete reaches at the same depth. */
interface Level {
  readonly resource: Resource
  readonly ids: readonly string[]
}

type IdsNaming = (
  relation: BelongsToModel,
  ids: readonly string[],
  most: 'one' | 'all',
) => Promise<readonly string[]>

/** All blockers of a delete that the store has refused. */
export async function blockersOf(
  writer: Writer,
  account: string,
  resource: Resource,
  id: string,
): Promise<readonly Blocker[]> {
  const idsNaming: IdsNaming = async ({ source, field }, ids, most) => {
    const { text, bind } = writer.planner.naming(source, field, most)
    const bindings = bind({ account, values: [JSON.stringify(ids)] })
    return (await writer.store.all(text, bindings, account)).map((row) => String(row[0]))
  }
  const { levels, deleted } = await deletedAlong(resource, id, idsNaming)
  const blockers = new Map<Resource, Blocker>()
  for (const level of levels) {
    for (const dependent of level.resource.dependents) {
      const { relation } = dependent
      const { source } = relation
      if (goesAlong(dependent) || blockers.has(source)) continue
      // A row that would be deleted along does not prevent the delete.
      const along = deleted.get(source)
      const found = await idsNaming(relation, level.ids, along ? 'all' : 'one')
      if (found.every((one) => along?.has(one))) continue
      blockers.set(source, {
        resource: source,
        names: level === levels[0] ? 'the row' : 'a row deleted along',
      })
    }
  }
  return [...blockers.values()]
}

/** The row and all rows that would be deleted along, level by level: a resource may reference itself. */
async function deletedAlong(resource: Resource, id: string, idsNaming: IdsNaming) {
  const levels: Level[] = [{ resource, ids: [id] }]
  const deleted = new Map<Resource, ReadonlySet<string>>([[resource, new Set([id])]])
  for (const level of levels) {
    for (const dependent of level.resource.dependents) {
      if (!goesAlong(dependent)) continue
      const { relation } = dependent
      const { source } = relation
      const known = deleted.get(source) ?? new Set()
      const fresh = new Set(await idsNaming(relation, level.ids, 'all')).difference(known)
      if (fresh.size === 0) continue
      deleted.set(source, known.union(fresh))
      levels.push({ resource: source, ids: [...fresh] })
    }
  }
  return { levels, deleted }
}
