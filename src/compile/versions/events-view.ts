import type { DraftView } from '../changes/view-draft.ts'
import type { Field, Version, View } from '../model.ts'
import { idField, plainField, timeField } from '../resources/declared-fields.ts'
import { engineView } from './engine-view.ts'

export const kindsOfEvents = ['created', 'updated', 'deleted'] as const

/** Whether a version shows any events. */
export const showsEvents = (version: Version): boolean => viewsWithEvents(version).length > 0

/** Every type of event that a version shows, in its own words: `orders.created`. */
export const eventTypes = (version: Version): readonly string[] => shownTypes(version).map(({ type }) => type)

/** The same, with the view of the row that an event of the type shows. */
export const shownTypes = (
  version: Version,
): readonly { readonly type: string; readonly kind: string; readonly view: View }[] =>
  viewsWithEvents(version).flatMap((view) =>
    kindsOfEvents.map((kind) => ({ type: `${view.name}.${kind}`, kind, view })),
  )

/** The views whose changes are events: those that a consumer of the version can see. */
export const viewsWithEvents = ({ views }: Pick<Version, 'views'>): readonly View[] =>
  [...views.values()].filter((view) => view.events && (view.topLevel || view.under.length > 0))

/** The read-only collection of a version's events; null where it shows none. */
export const eventsView = (version: Version): DraftView | null => {
  const types = eventTypes(version)
  if (types.length === 0) return null
  return engineView(version, {
    name: 'events',
    table: 'nounkit_events',
    newestFirst: false,
    description: 'What happened to rows, oldest first: every committed change of a row is one event.',
    serves: 'events',
    scope: 'events:read',
    filters: ['type', 'resource_id', 'created_at'],
    fields: eventFields(types),
  })
}

const eventFields = (types: readonly string[]): readonly Field[] => [
  idField(''),
  {
    ...plainField('type', 'enum', { type: 'string', enum: [...types] }),
    open: true,
    description: 'The resource and what happened to its row.',
  },
  {
    ...plainField('resource_id', 'id', { type: 'string' }),
    description: 'The id of the row.',
  },
  {
    ...plainField('changed', 'json', { type: 'array', items: { type: 'string' } }),
    nullable: true,
    description: 'The fields whose values changed, for an update.',
  },
  timeField('created_at', 'When it happened.'),
  {
    ...plainField('data', 'json', { type: 'object' }),
    description: 'The row right after the change; for a delete, right before.',
  },
]
