import type { ApiDeclaration } from '../../declare/api.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import type { TotalsDeclaration } from '../../declare/totals-declaration.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { DraftTotals, DraftView } from '../changes/view-draft.ts'
import type { MistakeList, Note } from '../mistakes.ts'
import type { Field, Resource, Version } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { countMember } from '../versions/totals-view.ts'
import { type AccessOptions, onlyRead } from '../versions/views.ts'
import { isSummable, namedOnce, usable } from './lists.ts'
import { type Drafts, type Mutable, plainResource, type ResourceDraft } from './resource-draft.ts'
import { checkResourceName } from './resource-name.ts'

/** A resource whose rows are totals, in the declaration. */
type DeclaredTotals = ResourceDeclaration & { readonly totals: TotalsDeclaration }

const isTotals = (declared: ResourceDeclaration): declared is DeclaredTotals => declared.totals !== undefined

/** The declaration of what is stored: totals have no table. */
export const withoutTotals = (declaration: ApiDeclaration): ApiDeclaration => ({
  ...declaration,
  resources: declaration.resources.filter((one) => !isTotals(one)),
})

/** Totals of a resource, as the newest version has them. */
export interface Totals {
  readonly declaration: ResourceDeclaration
  /** It has a name, and what decides who sees which of the rows that are counted; nothing of it is stored. */
  readonly resource: Mutable<Resource>
  readonly of: ResourceDraft
  readonly counted: DraftTotals
}

/** All declared totals. Those with a mistake in what they count are left out. */
export const declaredTotals = (
  declaration: ApiDeclaration,
  drafts: Drafts,
  mistakes: MistakeList,
): readonly Totals[] => {
  const taken = new Set(drafts.keys())
  return declaration.resources.filter(isTotals).flatMap((declared) => {
    checkResourceName(declared, declaration, taken, mistakes)
    taken.add(declared.name)
    const { of: name } = declared.totals
    const of = drafts.get(name)
    if (!of || of.model.engineMade) {
      const known = declaration.resources.filter((one) => !isTotals(one)).map((one) => one.name)
      const isOther = declaration.resources.some((one) => isTotals(one) && one.name === name)
      const what = isOther ? `"${name}" are totals themselves.` : `"${name}" is not a resource.`
      mistakes.add(`${declared.name}.totals.of`, what, didYouMean(name, known))
      return []
    }
    if (of.model.answered) {
      const what = `rows of ${name} are answered by code, and only the store counts rows.`
      mistakes.add(`${declared.name}.totals.of`, what, 'Name a resource that is stored.')
      return []
    }
    checkReadable(declared, of, mistakes)
    return [totalsOf(declared, of, mistakes)]
  })
}

const checkReadable = (
  { name, methods }: ResourceDeclaration,
  { declaration }: ResourceDraft,
  mistakes: MistakeList,
): void => {
  for (const method of methods ?? [])
    if (method !== 'GET')
      mistakes.add(`${name}.methods`, `"${method}" is not offered: totals are only read.`, "Write ['GET'].")
  if (methods?.length !== 0 && declaration.methods && !declaration.methods.includes('GET'))
    mistakes.add(
      `${name}.totals.of`,
      `${declaration.name} cannot be read, so nobody could see what is counted.`,
      `Add 'GET' to the methods of ${declaration.name}, or take these totals out.`,
    )
}

const totalsOf = (declared: DeclaredTotals, of: ResourceDraft, mistakes: MistakeList): Totals => {
  const { name, description = '', totals } = declared
  const { by, sums = [] } = totals
  const [ofBy, ofSums] = [mistakes.at(`${name}.totals.by`), mistakes.at(`${name}.totals.sums`)]
  if (by.length === 0) ofBy('it names no field.', 'Name at least one to group by.')
  const groups = namedOnce(by, ofBy).filter(
    (field) => usable(of, field, 'by', ofBy) && isShort(of, field, ofBy),
  )
  const summed = namedOnce(sums, ofSums).filter(
    (field) => usable(of, field, 'sums', ofSums) && isSummable(of, of.fields.get(field) as Field, ofSums),
  )
  for (const field of summed)
    if (by.includes(field))
      ofSums(`"${field}" is in by as well, and a row has each name once.`, 'Take it out of one of the two.')
  const { shared, rules } = of.model
  const resource: Mutable<Resource> = { ...plainResource(name), shared, rules, description }
  return { declaration: declared, resource, of, counted: { of: of.model.name, by: groups, sums: summed } }
}

/** A statement sorts as many of these as rows are counted. */
const mostGroupBytes = 1_024

const isShort = (of: ResourceDraft, name: string, note: Note): boolean => {
  const field = of.fields.get(name) as Field
  const bytes = kinds[field.kind].mostBytes?.(field.schema) ?? 0
  if (bytes <= mostGroupBytes) return true
  note(
    `"${name}" is a long text, or one without a limit, and groups are by short ones.`,
    `Give it .max(${mostGroupBytes / 4}) or less, or take it out of by.`,
  )
  return false
}

/** The newest version's view of totals, without what is made from the view of the rows. */
export const totalsDraft = ({ resource, counted }: Totals, access: AccessOptions): DraftView => ({
  ...onlyRead,
  ...access,
  name: resource.name,
  resource,
  serves: 'totals',
  totals: counted,
  fields: new Map(),
  filters: new Set(),
  reads: { one: false, list: true },
  topLevel: access.methods.size > 0,
  eitherOr: true,
  description: resource.description,
})

/** In some version a field may have the name of a member of its own. */
export const checkTotalsNames = (versions: readonly Version[], mistakes: MistakeList): void => {
  for (const { name: version, head, views } of versions)
    for (const { name, totals } of views.values()) {
      const named = [...(totals?.by.keys() ?? []), ...(totals?.sums.keys() ?? [])]
      if (named.includes(countMember))
        mistakes.add(
          head ? `${name}.totals` : `versions.${version}`,
          `${head ? '' : `in ${name} it has `}a field "${countMember}", which is what says how many rows a group has.`,
          `Take the field out of ${name}, or name it otherwise.`,
        )
    }
}
