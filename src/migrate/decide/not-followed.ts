import { StoreRefused } from '../../store/store.ts'

/** Something must be decided first, and there is nobody to ask: the sentences say how. */
export class NotFollowed extends StoreRefused {}

/** Throws where there is a sentence. */
export function refuseToFollow(sentences: readonly string[], advice = ''): void {
  if (sentences.length === 0) return
  const list = sentences.map((one) => `\n- ${one}`).join('')
  throw new NotFollowed(
    `The store does not follow the declaration yet, and nothing was changed:${list}${advice && `\n${advice}`}`,
  )
}
