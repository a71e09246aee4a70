import type { Method } from '../../declare/resource.ts'

/** A call as the documents show it. */
export interface SampleCall {
  readonly method: Method
  /** With the version, and with parameters in braces: `/v2/orders/{id}`. */
  readonly path: string
  readonly needsKey: boolean
  readonly idempotencyKey: boolean
  readonly ifMatch: boolean
  readonly body: unknown
  /** A field by which a sample of totals groups. */
  readonly by: string | null
}

/** It runs unchanged once `$API` and `$KEY` are set. */
export const curlSample = (call: SampleCall): string => {
  const parts = [
    `curl${call.method === 'GET' ? '' : ` -X ${call.method}`} "$API${call.path}${call.by ? `?by=${call.by}` : ''}"`,
    ...(call.needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(call.body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...(call.idempotencyKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(call.ifMatch ? [`-H 'If-Match: "3"'`] : []),
    ...(call.body === undefined ? [] : [`-d ${bodyText(call.body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** A body within quotes of the shell, on lines of its own, so that it can be read and changed. */
export const bodyText = (body: unknown): string =>
  `'${JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`

/** A call with the typed client: `const order = await api.orders.get(id)`. */
export const clientSample = (call: SampleCall): string => {
  const [, , resource = '', id, below, subId] = call.path.split('/')
  const rows =
    below === undefined
      ? `api.${memberName(resource)}`
      : `api.${memberName(resource)}.at(id).${memberName(below)}`
  const row = below === undefined ? id && 'id' : subId && 'subId'
  const { by } = call
  const body = call.body === undefined ? '' : literal(call.body)
  switch (call.method) {
    case 'GET':
      return row
        ? `const row = await ${rows}.get(${row})`
        : `for await (const row of ${rows}.list(${by ? `{ by: ['${by}'] }` : ''})) console.log(row${by ? '' : '.id'})`
    case 'POST':
      return `const row = await ${rows}.create(${body})`
    case 'PUT':
      return `const row = await ${rows}.replace(${seen(call, rows, row)}, ${body})`
    case 'PATCH':
      return `const row = await ${rows}.update(${seen(call, rows, row)}, ${body})`
    default:
      return `await ${rows}.delete(${seen(call, rows, row)})`
  }
}

/** Where `If-Match` is required, the row itself is given: the client sends its tag. */
const seen = ({ ifMatch }: SampleCall, rows: string, row = 'id'): string =>
  ifMatch ? `await ${rows}.get(${row})` : row

/** The member that a resource or a relation is in the typed client. */
export const memberName = (name: string): string =>
  name.replaceAll(/[-_](.)/g, (_, next: string) => (/\d/.test(next) ? `_${next}` : next.toUpperCase()))

/** JSON as people write it in TypeScript. */
export const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\\\)*)"/g, "'$1'")
