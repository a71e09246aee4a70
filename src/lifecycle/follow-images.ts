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
  let known: string | null = null
  return {
    async check() {
      const images = await readImages(store)
      if (images === null || images === known) return
      const { names } = await readNames(store)
      if (learnImages(model, names)) learned()
      known = images
    },
  }
}
