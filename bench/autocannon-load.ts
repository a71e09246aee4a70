import { randomUUID } from 'node:crypto'
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
  readonly customers: readonly string[]
  readonly freshKeys: 'random' | 'ordered' | null
}

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Order
const oneOf = (texts: readonly string[]): string => texts[Math.floor(Math.random() * texts.length)] ?? ''
const bodyOf = (text: string): string =>
  text
    .replace('{random}', String(Math.floor(Math.random() * 1_000_000)))
    .replace('{customer}', oneOf(order.customers))
const freshKey = (): string =>
  order.freshKeys === 'ordered' ? `${Date.now().toString(16)}-${randomUUID()}` : randomUUID()
// Everything is loaded: it stands still until it is let go on, and says at the end what wrk would.
process.stdout.write('ready\n')
process.kill(process.pid, 'SIGSTOP')
const result = await new Promise<autocannon.Result>((resolve, reject) => {
  autocannon(
    {
      url: order.url,
      duration: order.seconds,
      // Those who stand still are not late.
      timeout: 30,
      connections: order.connections,
      requests: [
        {
          method: order.method,
          path: order.path,
          headers: { ...order.headers },
          setupRequest: (request) => {
            const headers = order.freshKeys
              ? { ...request.headers, 'Idempotency-Key': freshKey() }
              : request.headers
            const path = order.path.replace('{id}', oneOf(order.ids))
            return {
              ...request,
              path,
              headers: headers ?? {},
              ...(order.body === null ? {} : { body: bodyOf(order.body) }),
            }
          },
        },
      ],
    },
    (error, ended) => (error ? reject(error) : resolve(ended)),
  )
})
const failed = result.non2xx - (result['3xx'] ?? 0) + result.errors
if (failed > 0) console.log(`Non-2xx or 3xx responses: ${failed}`)
const { p50, p99 } = result.latency
console.log(`50% ${p50}ms\n99% ${p99}ms\n${result.requests.total} requests in ${result.duration}s`)
process.exit()
