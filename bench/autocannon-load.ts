import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** The load generator where wrk is not installed: a process of its own, told what to send by a JSON file. */
interface Order {
  readonly url: string
  readonly seconds: number
  readonly connections: number
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | null
  readonly ids: readonly string[]
  readonly freshKeys: boolean
}

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Order
let count = 0
const result = await autocannon({
  url: order.url,
  duration: order.seconds,
  connections: order.connections,
  requests: [
    {
      method: order.method,
      path: order.path,
      headers: { ...order.headers },
      ...(order.body === null ? {} : { body: order.body }),
      setupRequest: (request) => {
        const id = order.ids[Math.floor(Math.random() * order.ids.length)] ?? ''
        const headers = order.freshKeys
          ? { ...request.headers, 'Idempotency-Key': `${process.pid}-${Date.now()}-${++count}` }
          : request.headers
        return { ...request, path: order.path.replace('{id}', id), headers: headers ?? {} }
      },
    },
  ],
})
const failed = result.non2xx - (result['3xx'] ?? 0) + result.errors
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    requests: result.requests.total,
    failed,
  }),
)
