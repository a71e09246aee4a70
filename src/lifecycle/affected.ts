import type { GuideOptions } from '../contract/guide/guide.ts'
import type { UsageReport } from './usage-report.ts'

/** Who, by the report, still uses what a change takes away. For operators: it names consumers. */
export const affectedIn =
  (report: UsageReport): NonNullable<GuideOptions['affected']> =>
  (change, version) => {
    const entry = version.changes.indexOf(change) + 1
    const consumers = report.versions.find((one) => one.version === version.name)?.consumers ?? []
    const using = consumers.filter(({ stillUses }) => stillUses.some((use) => use.entry === entry))
    return using.map(({ name, account }) => `${name} of ${account}`)
  }
