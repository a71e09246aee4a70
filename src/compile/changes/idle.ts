import type { Change } from '../../declare/change.ts'
import type { Draft } from './view-draft.ts'

/** Whether the older version would be the same without the change; each other kind looks after itself. */
export const changesNothing = (change: Change, draft: Draft): boolean => {
  switch (change.kind) {
    case 'rename-resource':
    case 'rename-field':
    case 'rename-relation':
      return change.from === change.to
    case 'map-values': {
      const same = Object.entries(change.values).every(([old, now]) => old === now)
      return same && Object.keys(change.onlyInNewer).length === 0
    }
    case 'change-default': {
      const field = draft.get(change.resource)?.fields.get(change.field)
      return field !== undefined && !field.required && (field.default ?? null) === change.was
    }
    case 'custom':
      return change.replaces.length === 0 && Object.keys(change.fields).length === 0
    default:
      return false
  }
}
