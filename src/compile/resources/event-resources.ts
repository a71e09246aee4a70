import type { ApiDeclaration } from '../../declare/api.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import { webhookNames, webhookResources } from '../../declare/webhook-resources.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Version } from '../model.ts'
import { auditCollection, hasAudit } from './audited-resources.ts'

/** Collections that the engine itself serves where an API has events. */
const eventCollections: readonly string[] = ['events', ...Object.values(webhookNames)]

/** An API that has events also has webhooks. */
export const withWebhooks = (declaration: ApiDeclaration): ApiDeclaration =>
  declaration.events === undefined
    ? declaration
    : { ...declaration, resources: [...declaration.resources, ...webhookResources] }

/** Whether changes of a resource's rows are events. */
export const hasEvents = (
  { name, shared, events, engineMade }: ResourceDeclaration,
  api: ApiDeclaration,
  mistakes: MistakeList,
): boolean => {
  if (engineMade !== undefined) return false
  if (api.events !== undefined && eventCollections.includes(name))
    mistakes.add(
      name,
      `where an API has events, "/${name}" is a collection of the engine's own.`,
      'Choose another noun, or leave out "events" of the API.',
    )
  if (events === true && shared === true)
    mistakes.add(
      `${name}.events`,
      'a shared resource has no events: its rows belong to no account.',
      'Leave "events" out.',
    )
  else if (events === true && api.events === undefined)
    mistakes.add(
      `${name}.events`,
      'the API has no events.',
      "Write events: { keepDays: 30 } into api('…'), or leave it out here.",
    )
  return api.events !== undefined && shared !== true && events !== false
}

/** An older version may have another name for a resource, which must not be one of the engine's own either. */
export const checkEventNames = (
  versions: readonly Version[],
  api: ApiDeclaration,
  mistakes: MistakeList,
): void => {
  const own = new Map<string, string>([
    ...(api.events === undefined ? [] : eventCollections.map((name) => [name, 'events'] as const)),
    ...(hasAudit(api) ? [[auditCollection, 'audit'] as const] : []),
  ])
  for (const { name: version, head, viewOf } of versions)
    for (const { name, serves, resource } of viewOf.values()) {
      const option = own.get(name)
      const isDeclared = serves !== 'events' && serves !== 'audit' && !resource.engineMade
      if (!head && isDeclared && option !== undefined)
        mistakes.add(
          `versions.${version}`,
          `it calls a resource "${name}", which is a collection of the engine's own where an API has ${option}.`,
          `Leave out "${option}" until the version is retired.`,
        )
    }
}
