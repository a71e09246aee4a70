import type { StatesField } from '../../declare/field.ts'
import { type Note, passes } from '../mistakes.ts'
import type { Model } from '../model.ts'
import { isOneLetterOff, nearest } from '../names/nearest.ts'

/** All states, in the order of their first mention, the initial one first. */
export const stateNames = (states: StatesField): readonly string[] => [
  ...new Set([
    states.initial,
    ...Object.entries(states.moves).flatMap(([from, to]) => [from, ...(to ?? [])]),
  ]),
]

/** The moves of each state that has any. */
export const movesIn = ({ moves }: StatesField): { readonly [from: string]: readonly string[] } =>
  Object.fromEntries(
    Object.entries(moves).flatMap(([from, to]) => (to !== undefined && to.length > 0 ? [[from, to]] : [])),
  )

export const checkStates = (states: StatesField, note: Note): boolean =>
  passes(note, (note) => {
    const names = stateNames(states)
    const moves: { readonly [from: string]: readonly string[] | undefined } = states.moves
    for (const name of names)
      if (!/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,99}$/.test(name) || name === 'null')
        note(`"${name}" is not a state's name.`, 'Write plain words, such as "draft" or "in_transit".')
    const others = Object.keys(moves)
    if (moves[states.initial] === undefined && others.length > 0) {
      const near = nearest(states.initial, others)
      note(
        `the initial state "${states.initial}" has no moves, so no other state can ever be reached.`,
        near === null ? 'Give its moves, or begin elsewhere.' : `Did you mean "${near}"?`,
      )
      return
    }
    const reached = reachable(states.initial, moves)
    for (const name of names) {
      if (reached.has(name)) continue
      const dead = [...reached].filter((state) => moves[state] === undefined)
      const near = nearest(name, dead)
      note(
        `the state "${name}" is never reached from "${states.initial}".`,
        near === null
          ? 'Add a move that leads to it, or take it away.'
          : `Is the move to "${near}" meant for it?`,
      )
    }
  })

const reachable = (
  initial: string,
  moves: { readonly [from: string]: readonly string[] | undefined },
): ReadonlySet<string> => {
  const reached = new Set([initial])
  // Iterating a Set also visits elements that are added meanwhile.
  for (const state of reached) for (const next of moves[state] ?? []) reached.add(next)
  return reached
}

/** Shorter names are often one letter apart, as "sent" and "spent" are. */
const shortestCompared = 6

/** A misspelt state that no move leaves looks like a final one, which is no mistake. */
export const stateWarnings = (model: Model): readonly string[] =>
  [...model.resources.values()].flatMap((resource) =>
    resource.fields.flatMap(({ name, states }) => {
      if (!states) return []
      const moves = movesIn(states)
      const names = stateNames(states).filter(({ length }) => length >= shortestCompared)
      return names.flatMap((final, at) => {
        // Of two final states, one is warned of.
        const isMeant = (other: string, to: number) =>
          (moves[other] || to > at) && isOneLetterOff(final, other)
        const other = moves[final] ? undefined : names.find(isMeant)
        return other === undefined
          ? []
          : [
              `${resource.name}.fields.${name}: no move leaves the state "${final}", whose name is nearly "${other}". If they are the same state, write it alike everywhere.`,
            ]
      })
    }),
  )
