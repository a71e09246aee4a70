import { giveToRule } from '../../declare/condition.ts'
import { term } from '../../declare/rule.ts'
import type { Note } from '../mistakes.ts'
import { didYouMean } from '../names/nearest.ts'
import type { Drafts, ResourceDraft } from '../resources/resource-draft.ts'

/** The most relations between a row and the field that its rule reads. */
const mostRelations = 2

/**
 * What a rule is given as `row`: reading a field of it gives a term, reading a to-one relation leads to the next row. A name that does
 * not exist is noted, makes the rule unusable, and gives a stand-in on which anything can be called: the rest is still recorded.
 */
export const rowTerms = (
  draft: ResourceDraft,
  drafts: Drafts,
  note: Note,
  unusable: () => void,
  path: readonly string[] = [],
): object =>
  new Proxy(Object.freeze({}), {
    get(_, name) {
      if (typeof name !== 'string') return undefined
      if (draft.fields.has(name)) return term({ kind: 'field', path: Object.freeze(path), field: name })
      const relation = draft.belongsTo.get(name)
      const target = relation && drafts.get(relation.target.name)
      if (target && !target.model.answered && path.length < mostRelations)
        return giveToRule(rowTerms(target, drafts, note, unusable, [...path, name]))
      unusable()
      noteUnreadable(draft, name, [...path, name].join('.'), note)
      return standIn
    },
  })

function noteUnreadable(draft: ResourceDraft, name: string, path: string, note: Note): null {
  // The mistake is reported where the field or the relation is declared.
  if (draft.broken.has(name)) return null
  const relation = draft.belongsTo.get(name)
  if (relation?.target.answered)
    return note(
      `"${name}" leads to ${relation.target.name}, whose rows are answered by code, and a rule only reads stored ones.`,
      'Ask for a field of the row itself.',
    )
  if (relation)
    return note(
      `row.${path} leads over more than ${mostRelations} relations.`,
      `A path has at most ${mostRelations}, then a field.`,
    )
  if (draft.hasMany.has(name))
    return note(
      `row.${path} is a has-many, and a rule reads rows one at a time.`,
      'Use a field of the row, or of a row that it belongs to.',
    )
  return note(
    `row.${path}: "${name}" is neither a field nor a to-one relation of ${draft.declaration.name}.`,
    didYouMean(name, [...draft.fields.keys(), ...draft.belongsTo.keys()]),
  )
}

const standIn: object = new Proxy(() => standIn, { get: () => standIn })
