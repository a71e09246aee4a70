import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { allowAbsence } from '../lifecycle/allow-absence.ts'
import { awaitRecorders } from '../lifecycle/await-recorders.ts'
import { recordRefusedCascades } from '../lifecycle/record-refused-cascades.ts'
import { refuseOtherAccounts } from '../lifecycle/refuse-other-accounts.ts'
import { refuseRowsOfAnswered } from '../lifecycle/refuse-rows-of-answered.ts'
import { bindModel } from '../migrate/bind-model.ts'
import { deciderAtStart } from '../migrate/decide/decider-at-start.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { readNames, tellImages } from '../migrate/record/names-record.ts'
import { recordPublished } from '../migrate/record/published.ts'
import type { Store } from '../store/store.ts'
import { seedEmpty } from '../write/seed.ts'

interface FitOptions {
  /** Whether the store fits the model already. */
  readonly isFitting: boolean
  readonly published: readonly string[] | undefined
  readonly clock: Clock
  /** Null where no other process is waited for. */
  readonly beatMs: number | null | undefined
  readonly warn: (message: string, error: unknown) => void
}

/** Makes the store fit the declaration, and gives the model with the names that the store has. Throws where rows would be out of reach. */
export async function fitStore(store: Store, declared: Model, options: FitOptions): Promise<Model> {
  const model = options.isFitting
    ? await modelOnFitting(store, declared, options)
    : await migrateAtStart(store, declared, options)
  await refuseOtherAccounts(store, model)
  await refuseRowsOfAnswered(store, model)
  await tellOthers(store, model, options)
  await recordPublished(store, options.published ?? [])
  await seedEmpty(store, model, options.clock)
  return model
}

/** Once this process is known to others: allows for what those of an older declaration leave out, and for cascades that they do not know. */
export async function allowForOlder(
  store: Store,
  declared: Model,
  model: Model,
  { clock, beatMs, warn }: FitOptions,
): Promise<void> {
  const waiting = (processes: number): void =>
    warn(`Waiting for ${counted(processes, 'process')} to learn what this declaration does without …`, null)
  await allowAbsence(store, declared, model, {
    clock,
    ...(beatMs === undefined ? {} : { beatMs }),
    waiting,
  })
  const mustLearn = await recordRefusedCascades(store)
  if (mustLearn && beatMs !== null) await awaitRecorders(store, clock, { waiting })
}

/**
 * Before this process writes a value that processes of an older declaration do not know, these learn what their versions show for it. They
 * look for that after each flush of their counts, so that two flushes later all of them know.
 */
async function tellOthers(store: Store, model: Model, { beatMs, clock, warn }: FitOptions) {
  const { names } = await readNames(store)
  if (!(await tellImages(store, names)) || beatMs === null || !hasNewValues(model)) return
  const waiting = (processes: number): void =>
    warn(
      `Waiting for ${counted(processes, 'process')} to learn the values that only ${model.head.name} has …`,
      null,
    )
  await awaitRecorders(store, clock, { waiting })
}

/** Whether the newest version has values that an older one shows as another one. */
const hasNewValues = ({ versions }: Model): boolean =>
  versions.some(({ views }) =>
    [...views.values()].some(({ fields }) =>
      fields.some(({ values }) => values && new Set(values.down.values()).size < values.down.size),
    ),
  )

/** While nothing is published, a store that fits has the declared names. */
const modelOnFitting = async (store: Store, model: Model, { published }: FitOptions): Promise<Model> =>
  published?.length === 0 ? model : (await bindModel(store, model)).model

/** Makes the store fit, and gives the model with the names that the store has. */
async function migrateAtStart(store: Store, model: Model, { published, warn }: FitOptions): Promise<Model> {
  const waiting = (sentence: string): void => warn(sentence, null)
  const decider = await deciderAtStart(store, model, published)
  return (await migrateStore(store, model, { decider, waiting })).model
}
