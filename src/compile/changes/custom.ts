import type { Custom } from '../../declare/change.ts'
import { sameJson } from '../canonical.ts'
import { readZod } from '../zod/read.ts'
import type { Inverse } from './inverse.ts'
import type { Report } from './report.ts'
import { type DraftField, placeFields, without, withView } from './view-draft.ts'

export const custom: Inverse<Custom> = (draft, change, report) => {
  const view = report.view(change.resource)
  if (!view) return draft
  const replaced = change.replaces.map((name) => report.field(view, change.resource, name))
  checkSamples(change, report)
  const made = madeFields(change, view.customs.length, report)
  if (!replaced.every((field) => field !== null) || !made) return draft
  if (!replaced.every((field) => replaceable(field, report))) return draft
  if (!change.replaces.every((name) => report.claim(`${change.resource}.${name}`, 'all'))) return draft
  const step = { change, newer: replaced.map((field) => ({ ...field, target: null })) }
  return withView(draft, change.resource, (one) => ({
    ...one,
    fields: placeFields(one.fields, made, new Set(change.replaces)),
    filters: without(one.filters, change.replaces),
    sorts: without(one.sorts, change.replaces),
    customs: [...one.customs, step],
  }))
}

const replaceable = (field: DraftField, report: Report): boolean => {
  const fixed = field.kind === 'id' || field.kind === 'reference' || field.kind === 'state'
  const server = field.field?.name === 'created_at' || field.field?.name === 'updated_at' || field.field?.sum
  if (!fixed && !server) return true
  report.mistake(
    `${field.name} cannot be made by code: ids, references, states, sums and times are the server's.`,
    'Leave it out of "replaces"; renameField and mapValues can change its name and values.',
  )
  return false
}

/** Keyed so that an older field may have the name of a newer one that it does not replace. */
const madeFields = (
  change: Custom,
  step: number,
  report: Report,
): readonly (readonly [string, DraftField])[] | null => {
  const made: (readonly [string, DraftField])[] = []
  for (const [key, schema] of Object.entries(change.fields)) {
    const read = readZod(schema, `${report.where} fields.${key}`, report.mistakes)
    if (!read) return null
    made.push([
      `made ${key}`,
      {
        name: key,
        field: null,
        made: { step, key },
        schema: read.schema,
        kind: read.kind,
        required: !read.optional && read.default === undefined && read.marks.readOnly !== true,
        nullable: read.nullable,
        default: read.default,
        readOnly: read.marks.readOnly ?? false,
        writeOnly: read.marks.writeOnly ?? false,
        immutable: read.marks.immutable ?? false,
        open: read.marks.open ?? false,
        values: null,
        codec: null,
        states: null,
        description: read.description,
      },
    ])
  }
  return made
}

const checkSamples = ({ samples, fields, replaces, up, down }: Custom, report: Report): void => {
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
