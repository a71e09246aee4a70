import type { ContractField, ContractRelation } from '../../compile/contract-format.ts'
import type { View } from '../../compile/model.ts'
import { hyphenated } from '../../compile/names/name-rules.ts'
import type { ProblemType } from '../../problems.ts'
import type { Difference, Differences } from '../diff/difference.ts'
import type { Crossing, Renamed } from './advice-line.ts'

/** Whether a difference disappears once another one is declared or undone. Such a difference needs no advice of its own. */
export const followsFromAnother = (
  one: Renamed,
  all: readonly Renamed[],
  refused: Differences,
  crossing: Crossing,
): boolean =>
  followsAnother(one, all) ||
  goesWithItsResource(one, all) ||
  goesWithItsWay(one, refused, crossing) ||
  goesWithItsRows(one, all, crossing) ||
  goesWithItsField(one, all) ||
  goesWithSearch(one, all)

/** A relation to a removed resource, its reference, and its events stay with the resource, which must be kept for the older version. */
const goesWithItsResource = (
  { subject: { kind, name = '', from } }: Renamed,
  all: readonly Renamed[],
): boolean => {
  const isGone = (resource: string | undefined): boolean =>
    all.some(({ subject, older }) => subject.kind === 'resource removed' && older.resource === resource)
  if (kind === 'relation removed') return isGone((from as ContractRelation | undefined)?.resource)
  if (kind === 'field removed') return isGone((from as ContractField | undefined)?.reference)
  return kind === 'event type removed' && isGone(name.split('.')[0])
}

/** An include or a sub-collection needs its relation, whose removal is reported by itself. */
const goesWithItsWay = (
  { subject: { kind, resource = '', name = '' }, facts }: Difference,
  refused: Differences,
  { newer }: Crossing,
): boolean => {
  if (kind === 'include removed') {
    const view = newer.views.get(resource)
    return !leads(view, name) || view?.includePaths.includes(name) === true
  }
  if (kind !== 'endpoint was removed') return false
  const [, owner = '', , relation = ''] = (facts?.path ?? '').split('/')
  return refused.some(
    ({ subject: gone }) =>
      gone.resource === owner &&
      (gone.kind === 'resource removed' ||
        (gone.kind === 'relation removed' && hyphenated(gone.name ?? '') === relation)),
  )
}

/** Totals have the fields and filters of the rows that they count, and a sort by each of their groups. */
const goesWithItsRows = (
  { subject: { kind, resource = '', name } }: Difference,
  all: Differences,
  { newer }: Crossing,
): boolean => {
  const rows = newer.views.get(resource)?.totals?.of().name
  if (rows === undefined) return false
  return all.some(
    ({ subject: other }) =>
      other.name === name &&
      ((other.resource === rows && other.kind === kind) ||
        (kind === 'sort removed' && other.resource === resource && other.kind === 'field removed')),
  )
}

/** A filter or sort needs its field, and no change can restore a reference or a field of states. */
const goesWithItsField = ({ subject }: Difference, all: Differences): boolean =>
  (subject.kind === 'filter removed' || subject.kind === 'sort removed') &&
  all.some(({ subject: { kind, resource, name, from } }) => {
    const same = kind === 'field removed' && resource === subject.resource && name === subject.name
    const field = from as ContractField | undefined
    return same && (field?.reference !== undefined || field?.states !== undefined)
  })

/** Only a search is refused so. */
const goesWithSearch = ({ subject }: Difference, all: Differences): boolean => {
  const own: ProblemType = 'search-not-ready'
  return (
    subject.kind === 'problem' &&
    subject.name === own &&
    all.some((one) => one.subject.kind === 'search removed' && one.subject.resource === subject.resource)
  )
}

const leads = (view: View | undefined, path: string): boolean => {
  let at = view
  for (const step of path.split('.')) at = at?.relations.get(step)?.target()
  return at !== undefined
}

/** A query parameter is removed with the last filter, sort or include that used it. */
const followsAnother = ({ subject }: Difference, all: Differences): boolean =>
  subject.kind === 'query parameter removed' &&
  all.some(
    (one) =>
      one.subject.kind === `${subject.name?.replace(/\[.*/, '')} removed` &&
      one.subject.resource === subject.resource,
  )
