import type { SubCollection, Version, View } from '../../compile/model.ts'
import { showsEvents } from '../../compile/versions/events-view.ts'
import { promisedLimits } from '../promised-limits.ts'
import { words } from './document-names.ts'
import type { DocumentPart } from './field-schemas.ts'

/**
 * The tag of an operation. The first place of a resource has the resource's name: its collection, or the only sub-collection it is in. Each
 * further sub-collection has a tag of its own: else the same six operations once more would stand among those of the collection.
 */
export const tagOf = (view: View, sub: SubCollection | null): string =>
  sub && isFurther(view, sub) ? `${sub.segment} of ${sub.owner().name}` : view.name

/**
 * The tag of the calls that webhook endpoints get. Programs that make a class for each tag make a class of webhooks for it, too: with the tag of
 * `GET /events` that one would take its place.
 */
export const webhookTag = 'webhook calls'

const isFurther = (view: View, sub: SubCollection): boolean =>
  view.topLevel || view.under[0]?.segment !== sub.segment || view.under[0].owner() !== sub.owner()

/** The tags of resources, and those of further sub-collections in a group of their own, which readers of the document can fold. */
export const tagsOf = (version: Version): DocumentPart => {
  const views = [...version.views.values()].filter((view) => view.topLevel || view.under.length > 0)
  const resources = views.map((view) => ({
    name: view.name,
    description: view.description === '' ? `All about ${words(view.name)}.` : view.description,
    'x-limits': { ...promisedLimits(view), ...rateOf(view) },
  }))
  const further = views.flatMap((view) =>
    view.under
      .filter((sub) => isFurther(view, sub))
      .map((sub) => ({
        name: tagOf(view, sub),
        description: `The same rows as \`${view.name}\`, below the row that they belong to: \`/${sub.owner().name}/{id}/${sub.segment}\`.`,
      })),
  )
  const calls = showsEvents(version)
    ? [{ name: webhookTag, description: 'What is sent to the URLs of `webhook-endpoints`.' }]
    : []
  const tags = [...resources, ...calls, ...further]
  if (further.length === 0) return { tags }
  const groups = [
    { name: 'Resources', tags: [...resources, ...calls].map(({ name }) => name) },
    { name: 'Sub-collections', tags: further.map(({ name }) => name) },
  ]
  return { tags, 'x-tagGroups': groups }
}

const rateOf = ({ rate }: View): DocumentPart =>
  rate ? { ratePerSecond: rate.perSecond, rateBurst: rate.burst } : {}
