import { type MistakeList, type Note, passes } from '../mistakes.ts'
import type { BelongsToModel, HasManyModel, LimitsModel } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { namedOnce } from './lists.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

type Relation = BelongsToModel | HasManyModel
const greatestToMany = 2

export interface IncludeLimits extends LimitsModel {
  readonly rowsPerRequest: number
}

/** The valid include paths of a resource, sorted; every parent of a path is itself one. */
export const checkedIncludes = (
  draft: ResourceDraft,
  drafts: Drafts,
  limits: IncludeLimits,
  mistakes: MistakeList,
): readonly string[] => {
  const note = mistakes.at(`${draft.declaration.name}.include`)
  const paths = namedOnce(draft.declaration.include, note)
  return paths.filter((path) => holds(path, draft, drafts, limits, note)).toSorted()
}

const holds = (
  path: string,
  draft: ResourceDraft,
  drafts: Drafts,
  limits: IncludeLimits,
  note: Note,
): boolean => {
  const walked = walk(path, draft, drafts, note)
  if (walked === null) return false
  return passes(note, (note) => {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    if (parent !== '' && !(draft.declaration.include ?? []).includes(parent))
      note(`"${path}" leads through "${parent}", which is not in the list.`, `Add "${parent}".`)
    if (walked.length > limits.includeDepth)
      note(
        `"${path}" is ${walked.length} deep; the limit is ${limits.includeDepth}.`,
        'Shorten it, or raise limits.includeDepth.',
      )
    if (walked.filter((relation) => relation.kind === 'has-many').length > greatestToMany)
      note(`"${path}" has more than ${greatestToMany} to-many relations, whose rows multiply.`, 'Shorten it.')
    const rows = rowsOfOne(walked, limits)
    if (rows > limits.rowsPerRequest)
      note(
        `"${path}" may have ${rows} rows for a single row; the limit is ${limits.rowsPerRequest}, so it could never be used.`,
        'Lower the cap of its relations, or raise limits.rowsPerRequest.',
      )
    const back = walked.find((relation, index) => index > 0 && isInverse(relation, walked[index - 1]))
    if (back !== undefined)
      note(
        `"${path}" goes in a circle: "${back.name}" leads back to ${back.target.name}.`,
        'Shorten it to before that step.',
      )
  })
}

/** The most rows that a response for one row has with this path: the row itself, and at each step as many as the caps allow. */
const rowsOfOne = (walked: readonly Relation[], limits: IncludeLimits): number => {
  let atStep = 1
  let rows = 1
  for (const relation of walked) {
    atStep *= relation.kind === 'has-many' ? (relation.cap ?? limits.includeRows) : 1
    rows += atStep
  }
  return rows
}

const isInverse = (relation: Relation, before: Relation | undefined): boolean => {
  if (before === undefined) return false
  if (relation.kind === 'belongs-to') return before.kind === 'has-many' && before.by === relation
  if (before.kind === 'belongs-to') return relation.by === before
  return relation.through !== null && relation.through === before.by && relation.by === before.through
}

/** The relations of a path, step by step; null when one does not exist. */
const walk = (path: string, draft: ResourceDraft, drafts: Drafts, note: Note): readonly Relation[] | null => {
  const walked: Relation[] = []
  let here: ResourceDraft | undefined = draft
  for (const step of path.split('.')) {
    const relation: Relation | undefined = here?.belongsTo.get(step) ?? here?.hasMany.get(step)
    if (relation === undefined) {
      if (here !== undefined && !here.broken.has(step)) {
        const names = Object.keys(here.declaration.relations ?? {})
        // The whole path is what stands in the file, so that its place is found by it.
        const within = path === step ? '' : `"${path}": `
        note(`${within}"${step}" is not a relation of ${here.declaration.name}.`, didYouMean(step, names))
      }
      return null
    }
    walked.push(relation)
    here = drafts.get(relation.target.name)
  }
  return walked
}
