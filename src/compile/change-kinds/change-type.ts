import type { ChangeType } from '../../declare/change.ts'
import { type DraftField, withField, withView } from '../changes/view-draft.ts'
import { textShape, wordFrom, zodSchema } from '../shape/shapes.ts'
import { codecs, toShown } from '../versions/codecs.ts'
import { readZod } from '../zod/read.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { fieldEntry, inCode } from './guide-entry.ts'
import { newerView, olderField, olderFieldName, olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const changeType: ChangeKind<ChangeType> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "changeType('books', 'price', { was: z.string(), codec: 'integer-as-string' })",
    needs: {
      resource: textShape,
      field: textShape,
      was: zodSchema,
      codec: wordFrom(Object.keys(codecs), 'a codec'),
    },
  },
  phase: 2,
  takeBack(draft, change, report) {
    const field = report.field(change.resource, change.field)
    if (!field) return null
    const was = readZod(change.was, report.mistakes.at(`${report.where} was`))
    if (!was || !report.claim(`${change.resource}.${change.field}`, 'value')) return null
    const codec = codecs[change.codec]
    const wrong = typeMistake(change, field, was)
    if (wrong) return report.mistake(...wrong)
    if (codec.loses && !change.why) {
      report.mistake(`${change.codec} loses ${codec.loses}.`, "Say the reason: { why: '…' }.")
    }
    return withView(draft, change.resource, (one) =>
      withField(one, change.field, {
        schema: was.schema,
        kind: was.kind,
        codec: change.codec,
        default:
          field.default === undefined
            ? undefined
            : toShown({ codec: change.codec, values: null }, field.default),
      }),
    )
  },
  loss: ({ codec }) => (codecs[codec].loses === null ? 'two-way' : 'loses'),
  line: ({ resource, field, codec }, step) => {
    const before = olderField(step, resource, field)?.kind
    const after = newerView(step, resource)?.field.get(field)?.kind
    return { where: `${resource}.${field}`, what: `type ${before} → ${after} (${codec})` }
  },
  guideEntry: ({ resource, field, codec }, step) => {
    const before = olderField(step, resource, field)
    const after = newerView(step, resource)?.field.get(field)
    return fieldEntry(step, resource, field, {
      title: `The type of ${inCode(`${resource}.${field}`)} changed`,
      rows: [[inCode(before?.kind ?? ''), inCode(after?.kind ?? '')]],
      note: `The same values, no longer as ${codec.split('-as-')[1]?.replaceAll('-', ' ')}.`,
    })
  },
  newerFields: ({ field }) => [field],
  describedFields: ({ resource, field }, step) => [olderFieldName(step, resource, field)],
  stored: ({ field, codec }) => ({ kind: 'type-changed', field, codec }),
  usage: ({ resource, field }, step) =>
    fieldTraces(olderView(step, resource), [olderFieldName(step, resource, field)]),
}

const typeMistake = (
  change: ChangeType,
  field: DraftField,
  was: { readonly kind: string; readonly nullable: boolean },
): readonly [string, string] | null => {
  const codec = codecs[change.codec]
  const name = `${change.resource}.${change.field}`
  if (field.made || field.codec) {
    return [
      `${name} already differs from what is stored.`,
      'Only one type change can be followed into SQL: use custom.',
    ]
  }
  if (field.kind !== codec.newer) {
    return [
      `${change.codec} makes ${codec.newer} fields, and ${name} is of kind ${field.kind}.`,
      'Choose another codec, or use custom.',
    ]
  }
  if (was.kind !== codec.older) {
    return [
      `${change.codec} shows ${codec.older} fields, and "was" is of kind ${was.kind}.`,
      'Correct "was" or the codec.',
    ]
  }
  if (was.nullable !== field.nullable) {
    const [may, not] = field.nullable ? ['the newer', 'the older'] : ['the older', 'the newer']
    return [`${name} may be null in ${may} version and not in ${not}.`, 'Say .optional() in both or in none.']
  }
  return null
}
