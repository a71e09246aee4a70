import { learnImages } from '../compile/learn-images.ts'
import type { Model } from '../compile/model.ts'
import { readImages, readNames } from '../migrate/record/names-record.ts'
import type { Store } from '../store/store.ts'

/** Notices values that only a newer declaration has, and what the versions of this one show for them. */
export interface FollowedImages {
  check(): Promise<void>
}

/** `learned` is called once statements must be planned anew. */
export function followImages(store: Store, model: Model, learned: () => void): FollowedImages {
  const session = { all: async (sql: string) => store.all(sql, []) }
  let known: string | null = null
  return {
    async check() {
      const images = await readImages(session)
      if (images === null || images === known) return
      const { names } = await readNames(session)
      if (learnImages(model, names)) learned()
      known = images
    },
  }
}
