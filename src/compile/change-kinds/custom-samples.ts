import type { Custom } from '../../declare/change.ts'
import type { Report } from '../changes/report.ts'
import { sameJson } from '../schemas/canonical.ts'

/** Runs `up` and `down` of a custom change on its samples: each must give the other side of the pair. */
export const checkSamples = ({ samples, fields, replaces, up, down }: Custom, report: Report): void => {
  if (samples.length === 0) {
    report.mistake(
      'it has no samples.',
      'Give at least one pair { older, newer } that up and down turn into each other.',
    )
  }
  samples.forEach((sample, index) => {
    checkKeys(`samples[${index}].older`, sample.older, Object.keys(fields), report)
    checkKeys(`samples[${index}].newer`, sample.newer, replaces, report)
    checkRun(`samples[${index}]: up`, () => up(sample.older), sample.newer, report)
    checkRun(`samples[${index}]: down`, () => down(sample.newer), sample.older, report)
    for (const [key, schema] of Object.entries(fields)) {
      if (schema.safeParse(sample.older[key] ?? undefined).success || sample.older[key] === null) continue
      report.mistake(
        `samples[${index}].older.${key} breaks its own schema.`,
        'Correct the sample or the schema.',
      )
    }
  })
}

const checkKeys = (where: string, value: object, names: readonly string[], report: Report): void => {
  for (const key of Object.keys(value)) {
    if (names.includes(key)) continue
    report.mistake(
      `${where} has "${key}", which this change does not name.`,
      `It names ${names.join(', ') || 'nothing'}.`,
    )
  }
}

const checkRun = (where: string, run: () => unknown, expected: unknown, report: Report): void => {
  let got: unknown
  try {
    got = run()
  } catch (error) {
    report.mistake(
      `${where} throws: ${error instanceof Error ? error.message : error}.`,
      'Samples must pass both ways.',
    )
    return
  }
  if (sameJson(got, expected)) return
  report.mistake(
    `${where} gives ${JSON.stringify(got)} in place of ${JSON.stringify(expected)}.`,
    'Samples must round-trip: correct the code or the sample.',
  )
}
