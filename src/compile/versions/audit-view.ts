import type { DraftView } from '../changes/view-draft.ts'
import type { Field, Version, View } from '../model.ts'
import { auditCollection } from '../resources/audited-resources.ts'
import { idField, plainField, timeField } from '../resources/declared-fields.ts'
import { actsOfAccounts } from '../service/acts.ts'
import { engineView } from './engine-view.ts'
import { kindsOfEvents } from './events-view.ts'

/** The views of whose rows a version shows audit entries: those that a consumer of the version can see. */
export const auditedViews = ({ views }: Pick<Version, 'views'>): readonly View[] =>
  [...views.values()].filter((view) => view.audited && (view.topLevel || view.under.length > 0))

/** The read-only collection of a version's audit entries; null where it shows none. */
export const auditView = (version: Version): DraftView | null => {
  const names = auditedViews(version).map(({ name }) => name)
  if (names.length === 0) return null
  return engineView(version, {
    name: auditCollection,
    table: 'nounkit_audit_entries',
    newestFirst: true,
    description: 'Who changed which row and when, newest first. Nobody can change an entry.',
    serves: 'audit',
    scope: 'audit:read',
    filters: ['action', 'resource', 'row_id', 'consumer', 'subject', 'operator', 'request_id', 'created_at'],
    fields: auditFields(names),
  })
}

const nullable = (name: string, description: string): Field => ({
  ...plainField(name, 'string', { type: 'string' }),
  nullable: true,
  description,
})

const json = (name: string, type: 'object' | 'array', description: string): Field => ({
  ...plainField(name, 'json', type === 'array' ? { type, items: { type: 'string' } } : { type }),
  nullable: true,
  description,
})

const auditFields = (names: readonly string[]): readonly Field[] => [
  idField(''),
  {
    ...plainField('action', 'enum', { type: 'string', enum: [...kindsOfEvents, ...actsOfAccounts] }),
    open: true,
    description: 'What was done: what became of a row, or what an operator did.',
  },
  {
    ...plainField('resource', 'enum', { type: 'string', enum: [...names] }),
    open: true,
    nullable: true,
    description: 'The resource of the row; `null` where no row was changed.',
  },
  {
    ...plainField('row_id', 'id', { type: 'string' }),
    nullable: true,
    description: 'The id of the row.',
  },
  nullable('consumer', 'The program whose credentials were used: the id of a key, or `token:` and a client.'),
  nullable('subject', 'The person or program for whom the consumer called.'),
  nullable('operator', 'The operator of the service who did it, by name.'),
  nullable('request_id', 'The `X-Request-Id` of the request that did it.'),
  json('changed', 'array', 'The fields whose values changed, for an update.'),
  json(
    'withheld',
    'array',
    'The fields of the row whose values are not shown here: the caller lacks their scope, or they are never shown.',
  ),
  json('before', 'object', 'The row right before the change; `null` for a create.'),
  json('after', 'object', 'The row right after the change; `null` for a delete.'),
  json('detail', 'object', 'What an operator did, where no row was changed.'),
  timeField('created_at', 'When it was done.'),
]
