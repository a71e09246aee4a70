import { changedResource, kindOf } from '../../compile/change-kinds/change-kinds.ts'
import { stepsBetween, type VersionStep } from '../../compile/change-kinds/step.ts'
import type { Model, Version } from '../../compile/model.ts'
import type { SchemaVerdict } from '../../compile/schemas/schema-verdict.ts'
import type { Change } from '../../declare/change.ts'
import { type Difference, isBreaking } from '../diff/difference.ts'
import { type JudgedChange, judgeChanges } from '../judge-changes.ts'
import { additionsOf } from './additions.ts'

/** One line of the difference between two versions: a declared change or an addition. */
export interface ExplainedLine {
  readonly from: string
  readonly to: string
  readonly verdict: SchemaVerdict
  /** The newer name; null for several resources. */
  readonly resource: string | null
  readonly where: string
  readonly what: string
  readonly change: Change['kind'] | null
  readonly why: string | null
  /** The differences of an addition; empty for a change. */
  readonly differences: readonly Difference[]
}

/**
 * The difference between a version and a newer one, by its declared changes. Nothing is left out: the older version is the
 * newer one with its changes taken back and with its additions hidden, and each change and each addition is a line.
 */
export const explainDifference = (model: Model, from: Version, to: Version): readonly ExplainedLine[] =>
  stepsBetween(from, to).flatMap((step) => linesOf(model, step))

const linesOf = (model: Model, step: VersionStep): readonly ExplainedLine[] => {
  const ends = { from: step.older.name, to: step.newer.name }
  const changes = judgeChanges(step.older).map((one) => ({ ...ends, ...declaredLine(one, step) }))
  const additions = additionsOf(model, step).map((one) => ({
    ...ends,
    ...one,
    verdict: one.differences.some(isBreaking) ? ('breaking' as const) : ('additive' as const),
    change: null,
    why: null,
  }))
  return byResource([...changes, ...additions], step.newer)
}

const declaredLine = ({ change, verdict }: JudgedChange, step: VersionStep) => ({
  verdict,
  resource: changedResource(change),
  ...kindOf(change).line(change, step),
  change: change.kind,
  why: change.why ?? null,
  differences: [],
})

/** In the order of the newer version's resources, the rename of a resource first; lines about several resources last. */
const byResource = (lines: readonly ExplainedLine[], { views }: Version): readonly ExplainedLine[] => {
  const order = [...views.keys()]
  const place = ({ resource }: ExplainedLine): number =>
    resource !== null && views.has(resource) ? order.indexOf(resource) : order.length
  const isRename = ({ change }: ExplainedLine): boolean => change === 'rename-resource'
  return lines.toSorted(
    (one, other) => place(one) - place(other) || Number(isRename(other)) - Number(isRename(one)),
  )
}
