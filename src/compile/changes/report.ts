import type { Change } from '../../declare/change.ts'
import type { MistakeList } from '../mistakes.ts'
import { didYouMean } from '../names/nearest.ts'
import type { Draft, DraftField, DraftView } from './view-draft.ts'

/** Where one change reports what is wrong with it, and looks up the names it uses. */
export interface Report {
  mistake(what: string, hint: string): null
  /** The position of this change in messages, for mistakes in its schemas. */
  readonly where: string
  readonly mistakes: MistakeList
  view(name: string): DraftView | null
  field(resource: string, name: string): DraftField | null
  /** Takes one aspect of one thing for this change; false (and a mistake) when another change has it. Unless said, changes of one kind have an aspect in common. */
  claim(thing: string, aspect?: SharedAspect): boolean
  /** The same, for a step of a path: its mistakes begin with the whole path, which stands in the code. */
  within(path: string): Report
}

/** What changes of several kinds are about. `all`: the thing is hidden or replaced as a whole, so no other change may touch it. */
type SharedAspect = 'all' | 'name' | 'value' | 'absence'

/** Which change has claimed what, over one version's list. */
export type Claims = Map<string, Map<string, string>>

export interface ChangeList {
  readonly version: string
  readonly newer: string
  readonly changes: readonly Change[]
  readonly claims: Claims
  readonly mistakes: MistakeList
}

const whereOf = (version: string, index: number, change: Change): string =>
  `${version}.changes[${index}] ${builderOf(change)}`

/** `rename-field` was written as `renameField(…)`. */
export const builderOf = ({ kind }: Pick<Change, 'kind'>): string =>
  kind.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

export const reportOf = (
  list: ChangeList,
  index: number,
  change: Change,
  draft: Draft,
  before = '',
): Report => {
  const { mistakes, newer } = list
  const where = whereOf(list.version, index, change)
  const mistake = (what: string, hint: string): null => mistakes.add(where, before + what, hint)
  const viewOf = (name: string): DraftView | null =>
    draft.get(name) ?? mistake(`"${name}" is not a resource of ${newer}.`, resourceHint(name, list, draft))
  return {
    mistake,
    where,
    mistakes,
    view: viewOf,
    field(resource, name) {
      const view = viewOf(resource)
      if (!view) return null
      const what = `"${name}" is not a field of ${resource} in ${newer}.`
      return view.fields.get(name) ?? mistake(what, fieldHint(name, resource, list, view))
    },
    claim: (thing, aspect) => claim(list.claims, thing, aspect ?? change.kind, where, mistake),
    within: (path) => reportOf(list, index, change, draft, `"${path}": `),
  }
}

/** Changes use the newer version's names; an older name is the usual mistake. */
const resourceHint = (name: string, { changes, newer }: ChangeList, draft: Draft): string => {
  const rename = changes.find((change) => change.kind === 'rename-resource' && change.from === name)
  if (rename?.kind === 'rename-resource') return `Changes use the names of ${newer}: write "${rename.to}".`
  return didYouMean(name, draft.keys())
}

const fieldHint = (
  name: string,
  resource: string,
  { changes, newer }: ChangeList,
  view: DraftView,
): string => {
  const rename = changes.find(
    (change) => change.kind === 'rename-field' && change.resource === resource && change.from === name,
  )
  if (rename?.kind === 'rename-field') return `Changes use the names of ${newer}: write "${rename.to}".`
  return didYouMean(name, view.fields.keys())
}

const claim = (
  claims: Claims,
  thing: string,
  aspect: string,
  where: string,
  mistake: Report['mistake'],
): boolean => {
  const taken = claims.get(thing) ?? new Map<string, string>()
  claims.set(thing, taken)
  const rival = aspect === 'all' ? taken.values().next().value : (taken.get('all') ?? taken.get(aspect))
  if (rival !== undefined) {
    mistake(
      `it collides with ${rival}: both change ${thing}.`,
      'Keep one of the two, or say both in one custom change.',
    )
    return false
  }
  taken.set(aspect, where)
  return true
}
