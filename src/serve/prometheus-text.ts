/** One metric with all its series; plain data, so that workers can send theirs to each other. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Of several processes: added up unless said. */
  readonly merge?: 'max'
  /** By what follows the name: `{method="GET"}`, `_sum{…}`, or nothing. */
  readonly samples: { readonly [series: string]: number }
}

export type Snapshot = readonly Family[]

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** The Prometheus text format, over one process or several. */
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
