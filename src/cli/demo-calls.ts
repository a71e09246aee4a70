import type { Model, Version, View } from '../compile/model.ts'
import { showsEvents } from '../compile/versions/events-view.ts'
import { exampleOfCreate } from '../contract/openapi/examples.ts'

/**
 * Calls to try with a key for everything: a list with an include, a create that needs no other row, a list of
 * the oldest version, and what happens, as a stream.
 */
export function demoCalls(model: Model, url: string, key: string): readonly string[] {
  const { head } = model
  const curl = `-H 'Authorization: Bearer ${key}'`
  const list = collections(head, 'GET').toSorted((a, b) => b.includePaths.length - a.includePaths.length)[0]
  const [path] = list?.includePaths.toSorted((a, b) => b.split('.').length - a.split('.').length) ?? []
  const made = collections(head, 'POST').find(needsNoOtherRow)
  const body = made && JSON.stringify(requiredOf(made)).replaceAll("'", "'\\''")
  const oldest = model.versions.at(-1)
  const old = oldest && oldest !== head ? collections(oldest, 'GET')[0] : undefined
  return [
    ...(list
      ? [`curl ${curl} '${url}/${head.name}/${list.name}?limit=2${path ? `&include=${path}` : ''}'`]
      : []),
    ...(made
      ? [
          `curl ${curl} -H 'Content-Type: application/json' -H 'Idempotency-Key: try-1' -d '${body}' '${url}/${head.name}/${made.name}'`,
        ]
      : []),
    ...(old ? [`curl -i ${curl} '${url}/${old.version.name}/${old.name}?limit=1'`] : []),
    ...(showsEvents(head)
      ? [`curl -N ${curl} -H 'Accept: text/event-stream' '${url}/${head.name}/events'`]
      : []),
  ]
}

const collections = (version: Version, method: 'GET' | 'POST'): View[] =>
  [...version.views.values()].filter((view) => view.topLevel && view.methods.has(method))

/** Without optional fields, of which some may name other rows. */
const requiredOf = (view: View): object =>
  Object.fromEntries(
    Object.entries(exampleOfCreate(view) ?? {}).filter(([name]) => view.field.get(name)?.required),
  )

const needsNoOtherRow = (view: View): boolean =>
  !view.resource.shared &&
  view.fields.every(({ required, target }) => !required || target === null) &&
  exampleOfCreate(view) !== undefined
