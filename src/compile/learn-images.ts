import { boundTo } from './compile.ts'
import type { Field, Model, Resource } from './model.ts'
import type { Mutable } from './resources/resource-draft.ts'
import type { NamesRecord } from './stored-names.ts'

/**
 * Values that a newer declaration has are shown by an older one as its version says, and a process of the older one may have started before
 * anybody knew. It learns them here, while it serves: the fields of its model are changed where they are, so that whatever holds the model, such as an open
 * stream, shows them from then on. So it does where a column may have no value from now on, or has one in every row, and where a cascade is refused. Statements must be planned anew. False where there was nothing to learn.
 */
export function learnImages(model: Model, names: NamesRecord): boolean {
  const now = boundTo(model, names)
  let learned = false
  for (const source of model.stored.values())
    for (const feed of source.feeds) {
      const isCounted = Boolean(now.stored.get(feed.on.name)?.field.get(feed.field.name)?.counted)
      const field: Mutable<Field> = feed.field
      if (isCounted === (field.counted !== null)) continue
      field.counted = isCounted ? { source, feed } : null
      learned = true
    }
  for (const [name, resource] of model.stored as ReadonlyMap<string, Mutable<Resource>>) {
    const refusing = now.stored.get(name)?.refusing ?? resource.refusing
    if (refusing.symmetricDifference(resource.refusing).size > 0) {
      resource.refusing = refusing
      learned = true
    }
    for (const field of resource.fields as readonly Mutable<Field>[]) {
      const today = now.resources.get(name)?.field.get(field.name)
      const stored = today?.stored ?? null
      if (today && today.mayLack !== field.mayLack) {
        field.mayLack = today.mayLack
        field.whenNone = today.whenNone
        learned = true
      }
      const known = field.stored?.down.size ?? field.schema.enum?.length ?? 0
      if (!stored || stored.down.size <= known) continue
      field.stored = stored
      learned = true
    }
  }
  return learned
}
