import type { Difference } from '../contract/diff/difference.ts'
import { differenceText } from '../contract/gate-refusal.ts'
import { paint } from './colour.ts'

/** A difference as `--json` shows it. */
export const differenceJson = ({ facts: _, ...shown }: Difference): object => shown

/** A difference as a line, its verdict in a colour. */
export function differenceLine(difference: Pick<Difference, 'verdict' | 'where' | 'what'>): string {
  const text = differenceText(difference)
  const { verdict } = difference
  const colour = verdict === 'breaking' ? 'red' : verdict === 'additive' ? 'green' : 'yellow'
  return paint(colour, verdict) + text.slice(verdict.length)
}
