import { StoreRefused } from '../../store/store.ts'
import { type Decider, type MigrateOptions, MigrationRefused, mayBeTaken } from '../migration.ts'
import { needsStop, type StorePlan, whyNot } from '../plan/store-plan.ts'
import { type Loss, wayToLose } from './loss.ts'
import { refuseToFollow } from './not-followed.ts'
import type { Decisions } from './questions-to-people.ts'

/** Throws where a plan cannot be carried out, whatever a person says of losses. */
export function refuse(
  plan: StorePlan,
  decider: Decider,
  decisions: Decisions,
  { stops = false }: MigrateOptions,
): void {
  if (decider.by === 'nobody') return refuseAtStart(plan)
  if (decider.by === 'person') refuseForRows(plan, decisions)
  // A store on Citus only grows while nothing is published.
  const mayStop = decider.by === 'person' ? !plan.spread : stops
  if (!plan.steps.every((step) => mayBeTaken(step, { stops: mayStop })))
    throw new MigrationRefused(plan.steps)
}

function refuseAtStart(plan: StorePlan): void {
  const whys = whyNot(plan)
  if (whys.length === 0) return
  throw new StoreRefused(
    `The store does not fit the declaration. No row was changed. Run nounkit migrate, which keeps the rows and says what it cannot keep:\n${whys.map((why) => `- ${why}.`).join('\n')}`,
  )
}

/** What is lost besides is said too, with what allows it, so that the next try is the last. */
function refuseForRows({ refusals, losses }: StorePlan, decisions: Decisions): void {
  if (refusals.length === 0) return
  const isOpen = losses.length > 0 && !decisions.acceptsDataLoss
  refuseToFollow([...refusals, ...aheads(losses)], isOpen ? wayToLose(losses, decisions) : '')
}

/** Asks a person about losses; throws where they are not accepted. */
export async function agree({ losses }: StorePlan, decisions: Decisions): Promise<void> {
  if (losses.length === 0 || decisions.acceptsDataLoss) return
  const sentences = aheads(losses)
  const answer = await decisions.answer(sentences.join('\n'), {
    kind: 'loss',
    text: [...sentences, 'Do it all the same?'].join('\n'),
    choices: [
      { value: 'yes', says: 'yes, lose it' },
      { value: 'no', says: 'no, change nothing' },
    ],
  })
  if (answer === 'yes') return
  refuseToFollow(sentences, answer === 'no' ? '' : wayToLose(losses, decisions))
}

/** Whether a plan that was made again is the one that was agreed to. */
export const isSamePlan = (a: StorePlan, b: StorePlan): boolean =>
  [...a.refusals, ...aheads(a.losses)].join('\n') === [...b.refusals, ...aheads(b.losses)].join('\n') &&
  needsStop(a.steps) === needsStop(b.steps)

const aheads = (losses: readonly Loss[]): readonly string[] => losses.map(({ ahead }) => ahead)
