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
}

/** Both samples run unchanged once `$API`/`api` and `$KEY`/`key` are set. */
export const curlSample = (call: SampleCall): string => {
  const parts = [
    `curl${call.method === 'GET' ? '' : ` -X ${call.method}`} "$API${call.path}"`,
    ...(call.needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(call.body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...(call.idempotencyKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(call.ifMatch ? [`-H 'If-Match: "3"'`] : []),
    ...(call.body === undefined ? [] : [`-d '${JSON.stringify(call.body).replaceAll("'", "'\\''")}'`]),
  ]
  return parts.join(' \\\n  ')
}

export const typescriptSample = (call: SampleCall): string => {
  const options = [
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',`]),
    ...headersText(call),
    ...(call.body === undefined ? [] : [`  body: JSON.stringify(${indented(call.body)}),`]),
  ]
  const init = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  const lines = [
    `const response = await fetch(\`\${api}${call.path}\`${init})`,
    'if (!response.ok) throw new Error((await response.json()).detail)',
    ...(call.method === 'DELETE' ? [] : ['const { data } = await response.json()']),
  ]
  return lines.join('\n')
}

const headersText = (call: SampleCall): string[] => {
  const headers = [
    ...(call.needsKey ? [`    Authorization: \`Bearer \${key}\`,`] : []),
    ...(call.body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
    ...(call.idempotencyKey ? ["    'Idempotency-Key': crypto.randomUUID(),"] : []),
    ...(call.ifMatch ? ["    'If-Match': etag,"] : []),
  ]
  return headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']
}

const indented = (body: unknown): string => JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
