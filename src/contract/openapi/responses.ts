import type { Version, View } from '../../compile/model.ts'
import type { Method } from '../../declare/resource.ts'
import type { OperationPlace } from '../operations.ts'
import { orRowsName } from './bulk-schemas.ts'
import { type DocumentNames, singularName, withArticle, words } from './document-names.ts'
import { exampleOfRow } from './examples.ts'
import { type DocumentPart, schemaRef } from './field-schemas.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import { envelopeName, listName, readName } from './schemas.ts'

/** The ways an operation succeeds, by status. */
export const successes = (
  view: View,
  method: Method,
  place: OperationPlace,
  naming: DocumentNames,
): DocumentPart => {
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
      return { 201: createdResponse(view, one, naming) }
    case 'DELETE':
      return { 204: { description: `${capital(one)} was deleted.`, headers: headerRefs(version, always) } }
    default:
      return { 200: shown(version, `${capital(one)} as it is now.`, rowHeaders, baseBody(view, naming)) }
  }
}

const always: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy', 'Cache-Control']
const rowHeaders: readonly HeaderName[] = [...always, 'ETag', 'Content-Location']
const listHeaders: readonly HeaderName[] = [...always, 'Link', 'Content-Location']

const createdResponse = (view: View, one: string, naming: DocumentNames): DocumentPart => {
  const body = baseBody(view, naming)
  if (!view.bulk) return shown(view.version, `${capital(one)} was created.`, createHeaders(view), body)
  return shown(
    view.version,
    `${capital(one)} was created; or all rows of a list, in the order in which they were sent, without \`Location\` and \`ETag\`.`,
    createHeaders(view),
    { ...body, schema: schemaRef(orRowsName(naming.schema(view))) },
  )
}

const createHeaders = (view: View): readonly HeaderName[] => {
  const { mode, storesBody } = view.idempotency
  const replays: readonly HeaderName[] = mode === 'off' ? [] : ['Idempotent-Replayed']
  const rereads: readonly HeaderName[] = mode === 'off' || storesBody ? [] : ['Idempotent-Replayed-Body']
  return [...rowHeaders, 'Location', ...replays, ...rereads]
}

const shown = (
  version: Version,
  description: string,
  headers: readonly HeaderName[],
  body: DocumentPart,
): DocumentPart => ({
  description,
  headers: headerRefs(version, headers),
  content: { 'application/json': body },
})

const unchanged = (version: Version): DocumentPart => ({
  description: 'Nothing changed since the ETag in If-None-Match.',
  headers: headerRefs(version, rowHeaders),
})

/** A read may have relations; the response of a write has none. */
const oneBody = (view: View, naming: DocumentNames): DocumentPart => enveloped(view, readName(view, naming))
const baseBody = (view: View, naming: DocumentNames): DocumentPart => enveloped(view, naming.schema(view))

const enveloped = (view: View, rowName: string): DocumentPart => {
  const example = exampleOfRow(view)
  return {
    schema: schemaRef(envelopeName(rowName)),
    ...(example ? { example: { data: example } } : {}),
  }
}

const exampleCursor = 'kJ2d0vXq1cWm8TzPaYb3NgWzE3NjMzNzAwMDAwMDAwMDBd'

/** A list of events can always be continued. */
const listBody = (view: View, naming: DocumentNames): DocumentPart => {
  const example = exampleOfRow(view)
  const cursor = view.serves === 'events' ? exampleCursor : null
  const page = { limit: view.limits.pageDefault, has_more: false, next_cursor: cursor }
  return {
    schema: schemaRef(listName(view, naming)),
    ...(example ? { example: { data: [example], page } } : {}),
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
