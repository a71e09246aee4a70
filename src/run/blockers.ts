import type { BelongsToModel, Resource } from '../compile/model.ts'
import { bindSlots, type Runner } from './run.ts'

/** A resource with rows that keep a row from being deleted: they name that row, or one that would be deleted along with it. */
export interface Blocker {
  readonly resource: Resource
  readonly names: 'the row' | 'a row deleted along'
}

/** All blockers of a delete that the store has refused. It goes level by level, as a row may lie in rows of its own resource. */
export async function blockersOf(
  runner: Runner,
  account: string,
  resource: Resource,
  id: string,
): Promise<readonly Blocker[]> {
  const idsOf = async ({ source, field }: BelongsToModel, ids: readonly string[], most: 'one' | 'all') => {
    const { text, slots } = runner.planner.naming(source, field, most)
    const bindings = bindSlots(slots, { account, values: [JSON.stringify(ids)] })
    return (await runner.store.all(text, bindings)).map((row) => String(row[0]))
  }
  const blockers = new Map<Resource, Blocker>()
  const seen = new Map<Resource, Set<string>>([[resource, new Set([id])]])
  const levels = [{ resource, ids: [id] }]
  for (const level of levels) {
    for (const { relation, onDelete } of level.resource.dependents) {
      const { source } = relation
      if (onDelete === 'refuse') {
        if (blockers.has(source) || (await idsOf(relation, level.ids, 'one')).length === 0) continue
        const names = level === levels[0] ? 'the row' : 'a row deleted along'
        blockers.set(source, { resource: source, names })
        continue
      }
      const known = seen.get(source) ?? new Set()
      const fresh = new Set(await idsOf(relation, level.ids, 'all')).difference(known)
      seen.set(source, known.union(fresh))
      if (fresh.size > 0) levels.push({ resource: source, ids: [...fresh] })
    }
  }
  return [...blockers.values()]
}
