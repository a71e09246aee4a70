/** One metric with all its series; plain data, because workers send theirs to each other as messages. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** How values of several processes are combined; without it, they are added. */
  readonly merge?: 'max'
  /** Values by the text that follows the metric's name: `{method="GET"}`, `_sum{…}`, or ''. */
  readonly samples: { readonly [series: string]: number }
}

export type Snapshot = readonly Family[]

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * The Prometheus text format, for one process or several. Not by prom-client: its cluster aggregation answers in the primary, where
 * we serve no port, and its counters look up their labels by a string built for each request.
 */
export const metricsText = (snapshots: readonly Snapshot[]): string => {
  const merged = new Map<string, { family: Family; samples: Map<string, number> }>()
  for (const family of snapshots.flat()) {
    const known = merged.get(family.name) ?? { family, samples: new Map<string, number>() }
    merged.set(family.name, known)
    for (const [series, value] of Object.entries(family.samples)) {
      const before = known.samples.get(series)
      known.samples.set(series, before === undefined ? value : combine(family, before, value))
    }
  }
  return [...merged.values()].map(({ family, samples }) => familyText(family, samples)).join('')
}

const combine = (family: Family, a: number, b: number): number =>
  family.merge === 'max' ? Math.max(a, b) : a + b

const familyText = ({ name, help, type }: Family, samples: ReadonlyMap<string, number>): string => {
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  for (const [series, value] of samples) text += `${name}${series} ${value}\n`
  return text
}
