import type { ApiDeclaration, EventsDeclaration } from '../../declare/api.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import { webhookNames } from '../../declare/webhook-resources.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Resource } from '../model.ts'

/** The collection that the engine itself serves where an API has an audit. */
export const auditCollection = 'audit-entries'

/** How long entries are kept where nothing else is said. */
export const auditKeepDays = 365

/** Whether any change of a row is recorded: the API says so, or a resource. */
export const hasAudit = ({ audit, resources }: Pick<ApiDeclaration, 'audit' | 'resources'>): boolean =>
  (audit !== undefined && audit !== false) || resources.some((one) => one.audit === true)

/** Whether changes of a resource's rows are audit entries. Deliveries of webhooks change by themselves. */
export const isAudited = (
  { name, audit, engineMade, answers }: ResourceDeclaration,
  api: ApiDeclaration,
  { isStored }: { readonly isStored: boolean },
  mistakes: MistakeList,
): boolean => {
  if (audit === true && answers !== undefined)
    mistakes.add(
      `${name}.audit`,
      'its rows are answered by code, and no change of them is known.',
      'Leave "audit" out.',
    )
  if (engineMade === undefined && name === auditCollection && hasAudit(api))
    mistakes.add(
      name,
      `where an API has an audit, "/${name}" is a collection of the engine's own.`,
      'Choose another noun, or leave out "audit".',
    )
  if (!isStored || name === webhookNames.deliveries) return false
  return audit ?? (api.audit !== undefined && api.audit !== false)
}

export const auditOf = (api: ApiDeclaration, resources: Iterable<Resource>): EventsDeclaration | null => {
  if (![...resources].some(({ audited }) => audited)) return null
  const { audit } = api
  return { keepDays: typeof audit === 'object' ? audit.keepDays : auditKeepDays }
}
