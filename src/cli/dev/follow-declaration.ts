import type { Clock } from '../../clock.ts'
import type { Model } from '../../compile/model.ts'
import { migrateUnserved } from '../../lifecycle/migrate-unserved.ts'
import { resetStore, whyNoReset } from '../../lifecycle/reset-store.ts'
import { NotFollowed } from '../../migrate/decide/not-followed.ts'
import type { Question } from '../../migrate/decide/questions-to-people.ts'
import type { FittingStore } from '../../serve/service.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { databaseUrl, publishedOf } from '../command-store.ts'
import type { LoadedApi } from '../load.ts'
import type { OpenWanted } from './messages.ts'

export interface FollowParts {
  readonly api: LoadedApi
  readonly model: Model
  /** The folder or file of the declaration, as it was typed. */
  readonly place: string
  readonly open: OpenWanted
  readonly clock: Clock
  /** Asks the person. */
  readonly ask: (question: Question) => Promise<string | null>
  /** Resolves when the process that serves the store has ended. */
  readonly beforeLock: () => Promise<void>
  readonly say: (sentence: string) => void
}

export interface FollowedStore extends FittingStore {
  /** What was done, a sentence each. */
  readonly notes: readonly string[]
}

/**
 * Opens the store, makes it fit the declaration while nothing is published, and empties it where that is wanted. Null where the service
 * does all that is needed. The process that serves goes on answering until everything is decided, and while only additions are made.
 */
export async function followDeclaration(parts: FollowParts): Promise<FollowedStore | null> {
  const { api, open } = parts
  const published = publishedOf(api)
  if (published.length > 0 && !open.reset) return null
  const store = await openStore(databaseUrl(api.declaration))
  try {
    return { store, ...(open.reset ? await reset(store, parts, published) : await follow(store, parts)) }
  } catch (error) {
    await store.close()
    throw error
  }
}

type Done = Omit<FollowedStore, 'store'>

async function reset(
  store: Store,
  { model, clock, beforeLock, say }: FollowParts,
  published: readonly string[],
): Promise<Done> {
  const generation = await resetStore(store, model, {
    clock,
    published,
    seed: true,
    waiting: say,
    beforeLock,
  })
  return { generation, notes: ['The store has only the rows of its seed now. API keys are still valid'] }
}

async function follow(store: Store, parts: FollowParts): Promise<Done> {
  const { model, place, open, clock, ask, beforeLock, say } = parts
  const optionsOf = `nounkit migrate${placeArgument(place)}`
  try {
    const decider = { by: 'person', optionsOf, ...(open.asks && { ask }) } as const
    const migrated = await migrateUnserved(store, model, { decider, clock, beforeLock, waiting: say })
    const losses = migrated.losses.map((loss) => loss.replace(/\.$/, ''))
    return { generation: migrated.generation, notes: [...migrated.notes, ...losses] }
  } catch (error) {
    if (!(error instanceof NotFollowed)) throw error
    const unasked = error.message.includes(optionsOf) ? withoutTerminal : withoutCommand
    throw new NotFollowed(`${error.message}\n${open.asks ? onTerminal : unasked}`, error)
  }
}

const onTerminal = 'Change the declaration, or save it once more to be asked again.'

/** Where no option of a command would help either. */
const withoutCommand = 'Change the declaration.'

const withoutTerminal =
  'Nobody can be asked, because this is not a terminal. Change the declaration; or stop nounkit dev, run the command named above, and start it again.'

/** What follows a command that is about the same declaration. */
export const placeArgument = (place: string): string => (place === '.' ? '' : ` ${place}`)

/** Why the person cannot empty the store; null where that is possible. */
export function resetRefusal({
  api,
  model,
  place,
}: Pick<FollowParts, 'api' | 'model' | 'place'>): string | null {
  const published = publishedOf(api)
  if (published.length === 0) return null
  return whyNoReset(published.join(', '), model, `nounkit reset${placeArgument(place)}`)
}
