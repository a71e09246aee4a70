import type { ContractLifecycle } from '../../compile/contract-format.ts'
import type { SchemaVerdict } from '../../compile/schemas/schema-verdict.ts'
import { additive, breaking, type Difference, type Differences, sayAt } from './difference.ts'

export const compareLifecycles = (from: ContractLifecycle, to: ContractLifecycle): Differences => {
  const found: Difference[] = []
  const moved = (name: 'published' | 'deprecated' | 'sunset', verdict: SchemaVerdict): void => {
    const [before, after] = [from[name], to[name]]
    if (before === after) return
    const what =
      before === null
        ? `was set to ${after}`
        : after === null
          ? `(${before}) was withdrawn`
          : `moved from ${before} to ${after}`
    found.push(sayAt('lifecycle', name, { name, from: before, to: after })(verdict, what, 'date'))
  }
  moved('published', additive)
  // Consumers have time from the announcement on; a deprecation that is dated back shortens that time.
  const dated = from.deprecated !== null && to.deprecated !== null && to.deprecated < from.deprecated
  moved('deprecated', dated ? breaking : additive)
  // A sunset promises service until a day: it may be set and moved later, never moved earlier or removed.
  const shortened = from.sunset !== null && (to.sunset === null || to.sunset < from.sunset)
  moved('sunset', shortened ? breaking : additive)
  if (from.unversioned !== to.unversioned) {
    const say = sayAt('lifecycle', 'unversioned')
    found.push(
      from.unversioned
        ? say(breaking, 'paths without a version are served by another version', 'pin')
        : say(additive, 'paths without a version are now served too', 'pin'),
    )
  }
  return found
}
