import type { Version, View } from '../../compile/model.ts'
import { kindsOfEvents, viewsWithEvents } from '../../compile/versions/events-view.ts'
import { type DocumentNames, singularName, withArticle } from './document-names.ts'
import { webhookTag } from './document-tags.ts'
import { type DocumentPart, schemaRef, shownField } from './field-schemas.ts'

/** The row that an event shows, of any resource that has events. */
export const eventData = (version: Version, naming: DocumentNames): DocumentPart => ({
  description: 'The row right after the change; for a delete, right before.',
  readOnly: true,
  anyOf: viewsWithEvents(version).map((view) => schemaRef(naming.schema(view))),
})

const eventName = (view: View, naming: DocumentNames): string => `${naming.schema(view)}Event`
const envelopeName = (view: View, naming: DocumentNames): string => `${eventName(view, naming)}Envelope`

/** `OrderEvent` and its envelope for every resource that has events: what webhooks send. */
export const eventSchemas = (version: Version, naming: DocumentNames): DocumentPart => {
  const events = version.views.get('events')
  if (events?.serves !== 'events') return {}
  const schemas: { [name: string]: DocumentPart } = {}
  for (const view of viewsWithEvents(version)) {
    schemas[eventName(view, naming)] = eventSchema(view, events, naming)
    schemas[envelopeName(view, naming)] = {
      type: 'object',
      properties: { data: schemaRef(eventName(view, naming)) },
      required: ['data'],
      additionalProperties: false,
    }
  }
  return schemas
}

const eventSchema = (view: View, events: View, naming: DocumentNames): DocumentPart => {
  const types = kindsOfEvents.map((kind) => `${view.name}.${kind}`)
  return {
    type: 'object',
    title: eventName(view, naming),
    description: `What happened to ${withArticle(singularName(view.name))}.`,
    properties: {
      ...Object.fromEntries(events.fields.map((field) => [field.name, shownField(field)])),
      type: { type: 'string', enum: types, description: 'What happened.', readOnly: true },
      data: schemaRef(naming.schema(view)),
    },
    required: events.fields.map(({ name }) => name),
  }
}

/** What is sent to webhook endpoints: one entry for each type of event, with the body of `GET /events/{id}`. */
export const webhooksOf = (version: Version, naming: DocumentNames): DocumentPart => {
  const all = viewsWithEvents(version).flatMap((view) =>
    kindsOfEvents.map((kind) => [`${view.name}.${kind}`, webhook(view, kind, naming)]),
  )
  return all.length === 0 ? {} : { webhooks: Object.fromEntries(all) }
}

const webhook = (view: View, kind: (typeof kindsOfEvents)[number], naming: DocumentNames): DocumentPart => {
  const one = withArticle(singularName(view.name))
  return {
    post: {
      operationId: naming.event(view, kind),
      summary: `${one.charAt(0).toUpperCase()}${one.slice(1)} was ${kind}`,
      tags: [webhookTag],
      security: [{}],
      requestBody: {
        required: true,
        // Without an example: checkers want a request to have no read-only fields.
        content: { 'application/json': { schema: schemaRef(envelopeName(view, naming)) } },
      },
      responses: {
        '2XX': { description: 'The event was received. After any other answer it is sent again.' },
      },
    },
  }
}
