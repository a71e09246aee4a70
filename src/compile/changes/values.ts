import type { ChangeType, MapValues } from '../../declare/change.ts'
import type { StatesField } from '../../declare/field.ts'
import { kinds } from '../../kinds/kinds.ts'
import { codecs, toShown } from '../codecs.ts'
import type { ValueMap } from '../model.ts'
import { didYouMean } from '../nearest.ts'
import { readZod } from '../zod/read.ts'
import type { Inverse } from './inverse.ts'
import type { Report } from './report.ts'
import { type DraftField, withField, withView } from './view-draft.ts'

/** One step of a value map, between two neighbouring versions. */
export interface ValueStep {
  /** Newer → older, total over the newer values. */
  readonly down: ReadonlyMap<string, string>
  /** Older → newer, total over the older values. */
  readonly up: ReadonlyMap<string, string>
  /** Several older values become one newer value, or the reverse. */
  readonly merges: boolean
}

export const mapValues: Inverse<MapValues> = (draft, change, report) => {
  const view = report.view(change.resource)
  const field = view && report.field(view, change.resource, change.field)
  if (!field) return draft
  if (field.made || !kinds[field.kind].listsValues) {
    report.mistake(
      `${change.resource}.${change.field} has no listed values to map.`,
      'Only enums and states have; use changeType or custom for others.',
    )
    return draft
  }
  if (!report.claim(`${change.resource}.${change.field}`, 'value')) return draft
  const newer = (field.schema.enum ?? []).map(String)
  if (!checkValues(change, newer, report)) return draft
  const step = valueStep(change, newer)
  if (step.merges && !change.why) {
    report.mistake(
      'several values become one, which loses their difference.',
      "Say the reason: { why: '…' }.",
    )
  }
  return withView(draft, change.resource, (one) => withField(one, change.field, mapped(field, step)))
}

const checkValues = (change: MapValues, newer: readonly string[], report: Report): boolean => {
  const before = report.mistakes.all.length
  const { values, onlyInNewer } = change
  for (const [old, now] of Object.entries(values)) {
    if (!newer.includes(now)) {
      report.mistake(`"${old}" became "${now}", which ${change.field} does not have.`, didYouMean(now, newer))
    }
  }
  const older = new Set(valueStep(change, newer).up.keys())
  for (const [now, old] of Object.entries(onlyInNewer)) {
    if (!newer.includes(now)) {
      report.mistake(
        `onlyInNewer names "${now}", which ${change.field} does not have.`,
        didYouMean(now, newer),
      )
    } else if (Object.values(values).includes(now)) {
      report.mistake(`"${now}" is both mapped and only in the newer version.`, 'Name it in one of the two.')
    }
    if (!older.has(old)) {
      report.mistake(
        `"${now}" is to read as "${old}", which the older version does not have.`,
        didYouMean(old, older),
      )
    }
  }
  for (const now of newer) {
    const taken = values[now]
    if (taken === undefined || taken === now || Object.values(values).includes(now) || onlyInNewer[now])
      continue
    report.mistake(
      `the newer value "${now}" has no image: in the older version "${now}" means "${taken}".`,
      `Map an older value to it, or say what it reads as: onlyInNewer: { ${now}: '…' }.`,
    )
  }
  return report.mistakes.all.length === before
}

export const valueStep = ({ values, onlyInNewer }: MapValues, newer: readonly string[]): ValueStep => {
  const oldOf = new Map<string, string>()
  for (const [old, now] of Object.entries(values)) {
    // Of several older values with one newer one, it reads as its own name where that is among them.
    if (!oldOf.has(now) || old === now) oldOf.set(now, old)
  }
  const down = new Map(newer.map((now) => [now, onlyInNewer[now] ?? oldOf.get(now) ?? now]))
  const up = new Map<string, string>()
  for (const [now, old] of down) if (!(now in onlyInNewer)) up.set(old, now)
  for (const [old, now] of Object.entries(values)) up.set(old, now)
  return { down, up, merges: up.size !== newer.length || Object.keys(onlyInNewer).length > 0 }
}

const mapped = (field: DraftField, step: ValueStep): Partial<DraftField> => {
  const older = [...new Set([...step.down.values(), ...step.up.keys()])]
  return {
    schema: { ...field.schema, enum: older },
    default: typeof field.default === 'string' ? step.down.get(field.default) : field.default,
    values: composed(field, step),
    states: field.states && olderStates(field.states, step, older),
  }
}

/** Stored → newer → older, and back. */
const composed = ({ field, values }: DraftField, step: ValueStep): ValueMap => {
  const down = new Map<string, string>()
  for (const stored of (field?.schema.enum ?? []).map(String)) {
    const newer = values?.down.get(stored) ?? stored
    down.set(stored, step.down.get(newer) ?? newer)
  }
  const up = [...step.up].map(([older, newer]) => [older, values?.up.get(newer) ?? newer] as const)
  return { down, up: new Map(up) }
}

/** A move exists for the older version where what it can write is a move of something it reads. */
const olderStates = (states: StatesField, step: ValueStep, older: readonly string[]): StatesField => {
  const moves: { [from: string]: string[] } = {}
  for (const from of older) {
    const behind = [...step.down].filter(([, image]) => image === from).map(([newer]) => newer)
    const reachable = behind.flatMap((newer) => states.moves[newer] ?? [])
    const writing = (newer: string) =>
      older.filter((value) => value !== from && (step.up.get(value) ?? value) === newer)
    const to = [...new Set(reachable.flatMap(writing))]
    if (to.length > 0) moves[from] = to
  }
  return { kind: 'states', initial: step.down.get(states.initial) ?? states.initial, moves }
}

export const changeType: Inverse<ChangeType> = (draft, change, report) => {
  const view = report.view(change.resource)
  const field = view && report.field(view, change.resource, change.field)
  if (!field) return draft
  const was = readZod(change.was, `${report.where} was`, report.mistakes)
  if (!was || !report.claim(`${change.resource}.${change.field}`, 'value')) return draft
  const codec = codecs[change.codec]
  const wrong = typeMistake(change, field, was)
  if (wrong) {
    report.mistake(...wrong)
    return draft
  }
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
}

const typeMistake = (
  change: ChangeType,
  field: DraftField,
  was: { readonly kind: string; readonly nullable: boolean },
): readonly [string, string] | null => {
  const codec = codecs[change.codec]
  const name = `${change.resource}.${change.field}`
  if (!codec) return [`"${change.codec}" is not a codec.`, didYouMean(change.codec, Object.keys(codecs))]
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
