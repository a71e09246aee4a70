import { counted } from '../../compile/names/plural.ts'
import type { Decisions } from './questions-to-people.ts'

/** Something that is lost, as the sentence before it is done and the one after. */
export interface Loss {
  readonly ahead: string
  readonly done: string
  /** The field that could have another value, such as `orders.note`. */
  readonly fillable?: string
}

export const lostRows = (why: string, rows: number): Loss => ({
  ahead: `${why}: its ${counted(rows, 'row')} would be lost.`,
  done: `${why}: its ${counted(rows, 'row')} ${rows === 1 ? 'was' : 'were'} lost.`,
})

export const lostValues = (why: string, rows: number): Loss => ({
  ahead: `${why}: its values in ${counted(rows, 'row')} would be lost.`,
  done: `${why}: its values in ${counted(rows, 'row')} were lost.`,
})

/** What a person can do whose losses were refused. */
export function wayToLose(losses: readonly Loss[], decisions: Decisions): string {
  const fills = losses.flatMap(({ fillable }) => (fillable === undefined ? [] : ` --fill ${fillable}=VALUE`))
  const use = `Use ${decisions.option('--accept-data-loss')} to do it all the same`
  return fills.length === 0 ? `${use}.` : `${use}, with${fills.join('')} for another value.`
}
