import type { ContractLifecycle } from '../../compile/contract-format.ts'
import type { Verdict } from '../../compile/schema-verdict.ts'
import { additive, breaking, type Difference, type Differences } from './difference.ts'

export const compareLifecycles = (from: ContractLifecycle, to: ContractLifecycle): Differences => {
  const found: Difference[] = []
  const moved = (name: 'published' | 'deprecated' | 'sunset', verdict: Verdict): void => {
    const [before, after] = [from[name], to[name]]
    if (before === after) return
    const what =
      before === null
        ? `was set to ${after}`
        : after === null
          ? `(${before}) was withdrawn`
          : `moved from ${before} to ${after}`
    found.push({
      verdict,
      part: 'lifecycle',
      where: name,
      what,
      subject: { kind: 'date', name, from: before, to: after },
    })
  }
  moved('published', additive)
  // Consumers have time from the announcement on; a deprecation that is dated back shortens that time.
  const dated = from.deprecated !== null && to.deprecated !== null && to.deprecated < from.deprecated
  moved('deprecated', dated ? breaking : additive)
  // A sunset promises service until a day: it may be set and moved later, never moved earlier or removed.
  const shortened = from.sunset !== null && (to.sunset === null || to.sunset < from.sunset)
  moved('sunset', shortened ? breaking : additive)
  if (from.unversioned !== to.unversioned) {
    found.push({
      verdict: from.unversioned ? breaking : additive,
      part: 'lifecycle',
      where: 'unversioned',
      what: from.unversioned
        ? 'paths without a version are served by another version'
        : 'paths without a version are now served too',
      subject: { kind: 'pin' },
    })
  }
  return found
}
