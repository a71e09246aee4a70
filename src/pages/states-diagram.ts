import type { Version, View, ViewField } from '../compile/model.ts'
import { movesIn } from '../compile/resources/states.ts'
import type { StatesField } from '../declare/field.ts'
import { diagramDefaults, dotString, drawGraph } from './graphviz.ts'
import type { Markup } from './markup.ts'

export interface StateMachine {
  readonly view: View
  readonly field: ViewField
  readonly states: StatesField
}

export const stateMachinesOf = (version: Version): readonly StateMachine[] =>
  [...version.views.values()].flatMap((view) =>
    view.fields.flatMap((field) => (field.states ? [{ view, field, states: field.states }] : [])),
  )

/** A state diagram. Final states have a double border. `now` is the state of one row. */
export const statesDiagram = ({ view, field, states }: StateMachine, now?: string): Promise<Markup> => {
  const moves = Object.entries(movesIn(states))
  const leaves = new Set(moves.map(([from]) => from))
  const names = [...new Set([states.initial, ...moves.flatMap(([from, to]) => [from, ...to])])]
  const node = (name: string): string =>
    `${dotString(name)} [class="box${leaves.has(name) ? '' : ' final'}${name === now ? ' now' : ''}"${leaves.has(name) ? '' : ' peripheries="2"'}]`
  const lines = moves.flatMap(([from, to]) =>
    to.map((one) => `${dotString(from)} -> ${dotString(one)} [class="line"]`),
  )
  // The node of the starting point has a name that no state can have.
  const start = dotString('*')
  const dot = `digraph {
rankdir="LR"; nodesep="0.4"; ranksep="0.6"; ${diagramDefaults}
node [shape="box" style="rounded" margin="0.2,0.1"]
${start} [shape="point" width="0.12" class="start" label=""]
${names.map(node).join('\n')}
${start} -> ${dotString(states.initial)} [class="line"]
${lines.join('\n')}
}`
  return drawGraph(dot, {
    id: `states-${view.name}-${field.name}`,
    title: `States of ${view.name}.${field.name}`,
    description: `${now === undefined ? '' : `Now ${now}. `}Starts as ${states.initial}. ${moves.map(([from, to]) => `${from} can move to ${to.join(' or ')}`).join('; ')}.`,
  })
}
