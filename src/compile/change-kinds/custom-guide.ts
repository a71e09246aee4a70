import type { Custom } from '../../declare/change.ts'
import type { ViewField } from '../model.ts'
import { sameJson } from '../schemas/canonical.ts'
import { toStored } from '../versions/codecs.ts'
import { exampleOf, type GuideEntry, inCode } from './guide-entry.ts'
import { newerView, olderView, type VersionStep } from './step.ts'

/** A field that has the same name before and after the change. */
interface Kept {
  readonly older: ViewField
  readonly newer: ViewField
}

const keptFields = ({ resource, fields, replaces }: Custom, step: VersionStep): readonly Kept[] =>
  replaces
    .filter((name) => Object.hasOwn(fields, name))
    .flatMap((name) => {
      const older = olderView(step, resource)?.field.get(name)
      const newer = newerView(step, resource)?.field.get(name)
      return older && newer ? [{ older, newer }] : []
    })

/** What changed besides the values: whether the field may be null, and whether it must be sent. */
const presenceOf = ({ older, newer }: Kept): readonly string[] => [
  ...(newer.nullable && !older.nullable ? ['may be null'] : []),
  ...(older.nullable && !newer.nullable ? ['is never null'] : []),
  ...(older.required && !newer.required ? ['may be left out of requests'] : []),
  ...(newer.required && !older.required ? ['must be sent'] : []),
]

/** For the list of differences: `converted by code; in v2 phone may be null`. */
export const customWords = (change: Custom, step: VersionStep): string =>
  [
    'converted by code',
    ...keptFields(change, step).flatMap((kept) =>
      presenceOf(kept).map((what) => `in ${step.newer.name} ${kept.newer.name} ${what}`),
    ),
  ].join('; ')

export const customEntry = (change: Custom, step: VersionStep): GuideEntry => {
  const { resource, fields, replaces } = change
  const kept = keptFields(change, step)
  const [older, newer] = [Object.keys(fields), replaces].map((names) => names.map(inCode).join(', '))
  const shown = (side: keyof Kept) =>
    kept.map((one) => `${inCode(one[side].name)}${one[side].nullable ? ' or `null`' : ''}`).join(', ')
  const isSame = older === newer && kept.length === replaces.length
  const inNewer = kept.flatMap((one) => presenceOf(one).map((what) => `${inCode(one.newer.name)} ${what}`))
  return {
    title: isSame
      ? `${older} of ${inCode(resource)} ${titleOf(kept)}`
      : `${older} of ${inCode(resource)} became ${newer}`,
    rows: isSame ? [[shown('older'), shown('newer')]] : [[older ?? '', newer ?? '']],
    note: inNewer.length === 0 ? '' : `In ${step.newer.name}, ${inNewer.join(', and ')}.`,
    example: exampleOf(step, resource, Object.keys(fields), replaces, focusOf(change, step)),
  }
}

const titleOf = (kept: readonly Kept[]): string => {
  const [only, ...others] = kept
  const isUnsetOnly =
    only?.newer.nullable && !only.older.nullable && sameJson(only.older.schema, only.newer.schema)
  return isUnsetOnly && others.length === 0 ? 'may be unset' : 'changed'
}

/** The values of a sample, by stored field: one with a null where that is what changed, else the first. */
const focusOf = (change: Custom, step: VersionStep): { readonly [field: string]: unknown } => {
  const view = newerView(step, change.resource)
  const newlyNull = keptFields(change, step).filter(({ older, newer }) => newer.nullable && !older.nullable)
  const telling = change.samples.find((sample) =>
    newlyNull.some(({ newer }) => (sample.newer[newer.name] ?? null) === null),
  )
  const sample = telling ?? change.samples[0]
  return Object.fromEntries(
    change.replaces.flatMap((name) => {
      const field = view?.field.get(name)
      const stored = field && toStored(field, sample?.newer[name] ?? null)
      return field?.field && stored !== undefined ? [[field.field.name, stored]] : []
    }),
  )
}
