import type { Version, View } from '../../compile/model.ts'
import type { Method } from '../../declare/resource.ts'
import type { Place } from '../operations.ts'
import { type Naming, singularName, withArticle, words } from './document-names.ts'
import { exampleOfRow } from './examples.ts'
import { type Part, schemaRef } from './field-schemas.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import { envelopeName, listName, readName } from './schemas.ts'

/** The ways an operation succeeds, by status. */
export const successes = (view: View, method: Method, place: Place, naming: Naming): Part => {
  const { version } = view
  const one = withArticle(singularName(view.name))
  switch (method) {
    case 'GET':
      return place === 'row'
        ? {
            200: shown(version, `${capital(one)}.`, rowHeaders, oneBody(view, naming)),
            304: unchanged(version),
          }
        : { 200: shown(version, `A page of ${words(view.name)}.`, listHeaders, listBody(view, naming)) }
    case 'POST':
      return {
        201: shown(version, `${capital(one)} was created.`, createHeaders(view), baseBody(view, naming)),
      }
    case 'DELETE':
      return { 204: { description: `${capital(one)} was deleted.`, headers: headerRefs(version, always) } }
    default:
      return { 200: shown(version, `${capital(one)} as it is now.`, rowHeaders, baseBody(view, naming)) }
  }
}

const always: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy', 'Cache-Control']
const rowHeaders: readonly HeaderName[] = [...always, 'ETag', 'Content-Location']
const listHeaders: readonly HeaderName[] = [...always, 'Link', 'Content-Location']

const createHeaders = (view: View): readonly HeaderName[] => {
  const { mode, storesBody } = view.idempotency
  const replays: readonly HeaderName[] = mode === 'off' ? [] : ['Idempotent-Replayed']
  const rereads: readonly HeaderName[] = mode === 'off' || storesBody ? [] : ['Idempotent-Replayed-Body']
  return [...rowHeaders, 'Location', ...replays, ...rereads]
}

const shown = (version: Version, description: string, headers: readonly HeaderName[], body: Part): Part => ({
  description,
  headers: headerRefs(version, headers),
  content: { 'application/json': body },
})

const unchanged = (version: Version): Part => ({
  description: 'Nothing changed since the ETag in If-None-Match.',
  headers: headerRefs(version, rowHeaders),
})

/** A read may have relations; the response of a write has none. */
const oneBody = (view: View, naming: Naming): Part => enveloped(view, readName(view, naming))
const baseBody = (view: View, naming: Naming): Part => enveloped(view, naming.schema(view))

const enveloped = (view: View, rowName: string): Part => {
  const example = exampleOfRow(view)
  return {
    schema: schemaRef(envelopeName(rowName)),
    ...(example ? { example: { data: example } } : {}),
  }
}

const exampleCursor = 'kJ2d0vXq1cWm8TzPaYb3NgWzE3NjMzNzAwMDAwMDAwMDBd'

/** A list of events can always be continued. */
const listBody = (view: View, naming: Naming): Part => {
  const example = exampleOfRow(view)
  const cursor = view.serves === 'events' ? exampleCursor : null
  const page = { limit: view.limits.pageDefault, has_more: false, next_cursor: cursor }
  return {
    schema: schemaRef(listName(view, naming)),
    ...(example ? { example: { data: [example], page } } : {}),
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
