import type { Custom } from '../../declare/change.ts'
import type { Report } from '../changes/report.ts'
import { type DraftField, placeFields, without, withView } from '../changes/view-draft.ts'
import { serverFields, zodField } from '../resources/declared-fields.ts'
import {
  functionShape as aFunction,
  listOf,
  mapOf,
  object,
  optionsOf,
  textShape,
  zodSchema,
} from '../shape/shapes.ts'
import { headField } from '../versions/views.ts'
import { readZod } from '../zod/read.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { customEntry, customWords } from './custom-guide.ts'
import { checkSamples } from './custom-samples.ts'
import { olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const custom: ChangeKind<Custom> = {
  ...usualChange,
  parameters: ['resource'],
  options: {
    form: "custom('books', { fields, replaces, up, down, samples })",
    needs: {
      resource: textShape,
      fields: mapOf(zodSchema),
      replaces: listOf(textShape),
      up: aFunction,
      down: aFunction,
      samples: listOf(optionsOf({ needs: { older: object, newer: object } })),
    },
  },
  phase: 4,
  takeBack(draft, change, report) {
    const view = report.view(change.resource)
    if (!view) return null
    const replaced = change.replaces.map((name) => report.field(change.resource, name))
    checkSamples(change, report)
    const read = madeFields(change, view.customs.length, report)
    if (!replaced.every((field) => field !== null) || !read) return null
    if (!replaced.every((field) => replaceable(field, report))) return null
    if (!change.replaces.every((name) => report.claim(`${change.resource}.${name}`, 'all'))) return null
    // Whoever may not see one of the newer fields may not see what code makes of it.
    const needsScopes = [...new Set(replaced.flatMap((field) => field.needsScopes))]
    const made = read.map(([key, field]) => [key, { ...field, needsScopes }] as const)
    const step = { change, newer: replaced.map((field) => ({ ...field, target: null })) }
    return withView(draft, change.resource, (one) => ({
      ...one,
      fields: placeFields(one.fields, made, new Set(change.replaces)),
      filters: without(one.filters, change.replaces),
      sorts: without(one.sorts, change.replaces),
      searched: without(one.searched, change.replaces),
      customs: [...one.customs, step],
    }))
  },
  changesNothing: ({ fields, replaces }) => replaces.length === 0 && Object.keys(fields).length === 0,
  // Code may give the same field with the same schema another meaning.
  shownInContract: false,
  line: (change, step) => ({
    where: `${change.resource}.${Object.keys(change.fields).join(', ')} → ${change.replaces.join(', ')}`,
    what: customWords(change, step),
  }),
  guideEntry: customEntry,
  newerFields: ({ replaces }) => replaces,
  describedFields: ({ fields }) => Object.keys(fields),
  stored: ({ replaces }) => ({ kind: 'columns-added', fields: replaces }),
  usage: ({ resource, fields }, step) => fieldTraces(olderView(step, resource), Object.keys(fields)),
}

const replaceable = (field: DraftField, report: Report): boolean => {
  const { name = '', relation, sum } = field.field ?? {}
  if (!field.states && !relation && !sum && !serverFields.has(name)) return true
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
    const note = report.mistakes.at(`${report.where} fields.${key}`)
    const read = readZod(schema, note)
    if (!read) return null
    const shown = headField(zodField(key, read, note))
    made.push([`made ${key}`, { ...shown, field: null, made: { step, key } }])
  }
  return made
}
