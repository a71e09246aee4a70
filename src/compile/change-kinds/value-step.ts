import type { MapValues } from '../../declare/change.ts'
import type { StatesField } from '../../declare/field.ts'
import type { Report } from '../changes/report.ts'
import type { DraftField } from '../changes/view-draft.ts'
import type { ValueMap } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'

/** One step of a value map, between two neighbouring versions. */
interface ValueStep {
  /** Newer → older, total over the newer values. */
  readonly down: ReadonlyMap<string, string>
  /** Older → newer, total over the older values. */
  readonly up: ReadonlyMap<string, string>
  /** Several older values become one newer value, or the reverse. */
  readonly merges: boolean
}

export const checkValues = (change: MapValues, newer: readonly string[], report: Report): boolean => {
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
    // Where several older values became one, the older version shows the one that has the newer name.
    if (!oldOf.has(now) || old === now) oldOf.set(now, old)
  }
  const down = new Map(newer.map((now) => [now, onlyInNewer[now] ?? oldOf.get(now) ?? now]))
  const up = new Map<string, string>()
  for (const [now, old] of down) if (!(now in onlyInNewer)) up.set(old, now)
  for (const [old, now] of Object.entries(values)) up.set(old, now)
  return { down, up, merges: up.size !== newer.length || Object.keys(onlyInNewer).length > 0 }
}

/** How the older version shows the field. */
export const mapped = (field: DraftField, step: ValueStep): Partial<DraftField> => {
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
