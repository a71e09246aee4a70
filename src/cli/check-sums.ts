import { clockFromEnvironment } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { bindModel } from '../migrate/bind-model.ts'
import { findWrongSums, type WrongSum } from '../migrate/sums/find-wrong-sums.ts'
import { demandFit } from '../transfer/demand-fit.ts'
import { isRefusal } from '../transfer/import-refusals.ts'
import { actorOfCommand } from '../write/actor.ts'
import { changeRows } from '../write/change-rows.ts'
import type { Writer } from '../write/writer.ts'
import { databaseUrl, openExistingStore } from './command-store.ts'
import { commandWriter } from './command-writer.ts'
import type { LoadedApi } from './load.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { openProgress } from './progress.ts'

/** What the store has of sums, after all rows were added up again. */
export interface CheckedSums {
  /** The sums that differ from what their rows add up to. */
  readonly wrong: readonly WrongSum[]
  readonly corrected: number
}

/** Adds up all rows of the store again. With `fix`, sums that differ are corrected, as far as they can be kept. */
export async function checkSums(
  { declaration }: LoadedApi,
  declared: Model,
  { fix }: { readonly fix: boolean },
): Promise<CheckedSums> {
  const store = await openExistingStore(databaseUrl(declaration))
  const progress = openProgress()
  try {
    await demandFit(store, declared)
    const { model } = await bindModel(store, declared)
    progress.show('Counting …')
    const wrong = await findWrongSums(store, model)
    if (!fix || wrong.length === 0) return { wrong, corrected: 0 }
    const writer = commandWriter({ model, store, clock: clockFromEnvironment(process.env) }, { events: true })
    for (const [at, one] of wrong.entries()) {
      progress.show(`Correcting ${counted(wrong.length, 'sum')}`, at, wrong.length)
      await correct(writer, one)
    }
    const left = await findWrongSums(store, model)
    return { wrong: left, corrected: wrong.length - left.length }
  } finally {
    progress.end()
    await store.close()
  }
}

/** Counts once more with the row locked, since others may write meanwhile. A sum that is too large to be kept stays as it is. */
async function correct(writer: Writer, { resource, account, id }: WrongSum): Promise<void> {
  const on = writer.model.stored.get(resource)
  if (!on) throw new Error(`There is no resource ${resource}`)
  try {
    const by = { account: account ?? '', actor: actorOfCommand(operatorOfCommand()) }
    await changeRows(writer, by, (changes) => changes.correctSums(on, [id]))
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

/** All are counted, and the first ones shown. */
const mostShown = 100

export const sumsJson = ({ wrong, corrected }: CheckedSums): object => ({
  wrong: wrong.slice(0, mostShown),
  wrongCount: wrong.length,
  corrected,
})

/** Says what was found, and what to do. */
export function printSums(
  { wrong, corrected }: CheckedSums,
  { fix, soleAccount }: { readonly fix: boolean; readonly soleAccount: string | null },
): void {
  for (const one of wrong.slice(0, mostShown)) console.error(wrongLine(one, soleAccount))
  if (wrong.length > mostShown) console.error(`and ${counted(wrong.length - mostShown, 'sum')} more`)
  if (corrected > 0) console.log(`${counted(corrected, 'sum')} corrected.`)
  if (wrong.length === 0) {
    console.log('Every sum is what its rows give.')
    return
  }
  const advice = fix
    ? 'A sum that is too large cannot be kept. Change or delete some of the rows that it adds up, and run this again.'
    : 'Correct them: nounkit check --sums --fix'
  console.error(`\n${counted(wrong.length, 'sum')} not as the rows give. ${advice}`)
}

const wrongLine = (
  { resource, field, account, id, stored, counted: given }: WrongSum,
  soleAccount: string | null,
): string => {
  const where = account === null || account === soleAccount ? '' : ` of account ${account}`
  return `${resource}.${field} of ${id}${where} is ${JSON.stringify(stored)}, and its rows give ${JSON.stringify(given)}`
}
