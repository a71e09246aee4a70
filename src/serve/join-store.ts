import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { openRates, type Rates } from '../guard/rate-settings.ts'
import { followImages } from '../lifecycle/follow-images.ts'
import { followMigrations, type Outdated } from '../lifecycle/outdated.ts'
import { type Lifecycle, startLifecycle } from '../lifecycle/start-lifecycle.ts'
import { generationAtStart } from '../migrate/record/store-generation.ts'
import { ensureSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { allowForOlder, fitStore } from './fit-store.ts'

export interface JoinOptions {
  readonly declared: Model
  /** The generation for which the store was made to fit already; undefined where it is still to be made fit. */
  readonly fitsSince: number | undefined
  readonly published: readonly string[] | undefined
  readonly clock: Clock
  readonly beatMs: number | null | undefined
  readonly rate: string | undefined
  readonly redisUrl: string | undefined
  readonly warn: (message: string, error: unknown) => void
  /** Called once statements must be planned anew. */
  readonly planAnew: () => void
}

/** What a process has of a store that it serves together with others. */
export interface JoinedStore {
  /** The declared model, with the names that the store has. */
  readonly model: Model
  readonly outdated: Outdated
  readonly rates: Rates
  /** Seals cursors, and the secrets of webhooks. */
  readonly secret: string
  readonly lifecycle: Lifecycle
}

/** Makes the store fit, and makes this process known to the others that serve it. */
export async function joinStore(store: Store, options: JoinOptions): Promise<JoinedStore> {
  const { declared, fitsSince, published, clock, beatMs, rate, redisUrl, warn } = options
  const fitOptions = { isFitting: fitsSince !== undefined, published, clock, beatMs, warn }
  const outdated = followMigrations(store, fitsSince ?? (await generationAtStart(store)))
  const model = await fitStore(store, declared, fitOptions)
  const rates = await openRates({ model, rate, redisUrl, warn })
  const secret = await ensureSecret(store)
  const images = followImages(store, model, options.planAnew)
  const lifecycle = await startLifecycle({
    store,
    model,
    images,
    clock,
    outdated,
    warn,
    ...(beatMs === undefined ? {} : { everyMs: beatMs }),
  })
  await allowForOlder(store, declared, model, fitOptions)
  await images.check()
  return { model, outdated, rates, secret, lifecycle }
}
