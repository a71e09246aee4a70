import type { Change, ChangeOfKind } from '../../declare/change.ts'
import { custom } from './custom.ts'
import { addRequiredField, changeDefault, makeRequired, removeField } from './fields.ts'
import { changesNothing } from './idle.ts'
import type { Inverse } from './inverse.ts'
import { renameField, renameRelation, renameResource } from './names.ts'
import { removeFilter, removeInclude, removeSort } from './queries.ts'
import { type ChangeList, reportOf } from './report.ts'
import { changeLimit, removeMethod, requireIdempotencyKey, requireScope } from './rules.ts'
import { changeType, mapValues } from './values.ts'
import type { Draft } from './view-draft.ts'

interface Kind<C> {
  readonly inverse: Inverse<C>
  /**
   * Names never depend on order (see Draft), but some changes build on what others restore: a filter on a removed field
   * needs the field, a default or scope is written in the older words, and what hides a field comes last.
   */
  readonly turn: 0 | 1 | 2 | 3 | 4
}

const kinds: { readonly [K in Change['kind']]: Kind<ChangeOfKind<K>> } = {
  'remove-field': { inverse: removeField, turn: 0 },
  'change-limit': { inverse: changeLimit, turn: 0 },
  'make-required': { inverse: makeRequired, turn: 1 },
  'map-values': { inverse: mapValues, turn: 2 },
  'change-type': { inverse: changeType, turn: 2 },
  'rename-resource': { inverse: renameResource, turn: 3 },
  'rename-field': { inverse: renameField, turn: 3 },
  'rename-relation': { inverse: renameRelation, turn: 3 },
  'remove-include': { inverse: removeInclude, turn: 3 },
  'remove-filter': { inverse: removeFilter, turn: 3 },
  'remove-sort': { inverse: removeSort, turn: 3 },
  'require-idempotency-key': { inverse: requireIdempotencyKey, turn: 3 },
  'require-scope': { inverse: requireScope, turn: 4 },
  'remove-method': { inverse: removeMethod, turn: 3 },
  'change-default': { inverse: changeDefault, turn: 3 },
  'add-required-field': { inverse: addRequiredField, turn: 4 },
  custom: { inverse: custom, turn: 4 },
}

/** The newer version's views with every change of the list taken back, still keyed by the newer names. */
export const takeBack = (draft: Draft, list: ChangeList): Draft => {
  let at = draft
  for (const turn of [0, 1, 2, 3, 4]) {
    list.changes.forEach((change, index) => {
      if (kinds[change.kind].turn !== turn) return
      const { inverse } = kinds[change.kind] as Kind<Change>
      const report = reportOf(list, index, change, at)
      // A default may be told again where a map of its values already gave it the older word.
      if (changesNothing(change, at) && changesNothing(change, draft))
        report.mistake('it changes nothing.', 'Leave it out, or say what the older version had.')
      else at = inverse(at, change, report)
    })
  }
  return at
}
