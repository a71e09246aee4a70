import type { MistakeList, Note } from '../mistakes.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

/** Rows that stay when their account is deleted must be whole without the rows that go. */
export const checkKept = (drafts: Drafts, mistakes: MistakeList): void => {
  for (const draft of drafts.values())
    if (draft.model.keptOnDeletion) {
      const note = mistakes.at(`${draft.declaration.name}.keepOnAccountDeletion`)
      checkStored(draft, note)
      checkReferences(draft, note)
      checkSums(draft, note)
    }
}

const checkStored = (draft: ResourceDraft, note: Note): void => {
  const { shared, answered } = draft.model
  if (shared || answered)
    note(
      shared
        ? 'its rows belong to no account, and stay in any case.'
        : 'its rows are answered by code, and the store has none of them.',
      'Leave it out.',
    )
}

const checkReferences = (draft: ResourceDraft, note: Note): void => {
  for (const { name, target, optional } of draft.belongsTo.values()) {
    if (optional || target.keptOnDeletion || target.shared || target.answered) continue
    note(
      `its rows stay, and the rows of ${target.name} go, which "${name}" needs.`,
      `Write keepOnAccountDeletion: true into ${target.name} too, or make "${name}" optional.`,
    )
  }
}

/** A sum that stays without its rows would be wrong for ever after. */
const checkSums = (draft: ResourceDraft, note: Note): void => {
  for (const { name, sum } of draft.fields.values()) {
    if (!sum || sum.relation.target.keptOnDeletion) continue
    const { target } = sum.relation
    note(
      `its rows stay, and the rows of ${target.name} go, which "${name}" adds up.`,
      `Write keepOnAccountDeletion: true into ${target.name} too.`,
    )
  }
}
