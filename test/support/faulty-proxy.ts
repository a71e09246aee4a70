import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { whenOver } from './clean-up.ts'

/** What the proxy does with a request. */
export type Fault =
  | 'pass'
  /** Breaks the connection; the server never sees the request. */
  | 'drop'
  /** Lets the server answer, and breaks the connection before the answer. */
  | 'cut'
  /** Breaks the connection in the middle of the body. */
  | 'half'
  /** Sends the request to the server twice, and gives the second answer. */
  | 'twice'
  /** Answers nothing until the client goes away. */
  | 'hang'
  | { readonly delay: number }
  /** Answers by itself. */
  | {
      readonly status: number
      readonly body?: string
      readonly headers?: { readonly [name: string]: string }
    }

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

export interface FaultyProxy {
  readonly url: string
  /** Every request, in the order in which they came. */
  readonly seen: readonly Seen[]
  /** Where requests go. */
  target: string
  /** Says for each request what is done with it. */
  plan: (request: Seen) => Fault
  /** Does this with the next requests that are not for an index, then lets pass. */
  next(...faults: readonly Fault[]): void
  /** Ends every connection of clients. */
  cut(): void
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly message: IncomingMessage
}

/** An HTTP proxy that fails in the ways that proxies and networks do, one request at a time. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const seen: Seen[] = []
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming
    const asked = { method, url, headers }
    seen.push(asked)
    const fault = proxy.plan(asked)
    const body = await buffer(incoming)
    const forward = () => forwarded(proxy.target, asked, body, outgoing)
    if (fault === 'drop') return void outgoing.destroy()
    if (fault === 'hang') return
    if (typeof fault === 'object' && 'status' in fault)
      return void outgoing.writeHead(fault.status, fault.headers).end(fault.body)
    if (typeof fault === 'object') await sleep(fault.delay)
    if (fault === 'twice') await content((await forward()).message)
    const { status, headers: sent, message } = await forward()
    if (fault === 'cut') {
      await content(message)
      return void outgoing.destroy()
    }
    outgoing.writeHead(status, sent)
    if (fault !== 'half') return void message.on('error', () => outgoing.destroy()).pipe(outgoing)
    const whole = await content(message)
    outgoing.write(whole.subarray(0, whole.length / 2), () => outgoing.destroy())
  }

  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    target,
    plan: () => 'pass',
    next(...faults) {
      const rest = [...faults]
      proxy.plan = ({ url }) => (/^\/(v\d+)?$/.test(url) ? 'pass' : (rest.shift() ?? 'pass'))
    },
    cut: () => server.closeAllConnections(),
  }
  whenOver(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return proxy
}

/** The body of an answer. A stream of events does not end, so of that the first piece. */
const content = async (message: IncomingMessage): Promise<Buffer> => {
  if (!message.headers['content-type']?.startsWith('text/event-stream')) return buffer(message)
  const [piece] = await once(message, 'data')
  message.destroy()
  return piece
}

const forwarded = (target: string, { method, url, headers }: Seen, body: Buffer, outgoing: ServerResponse) =>
  new Promise<Answer>((done, fail) => {
    const upstream = request(target + url, { method, headers, agent: false }, (message) => {
      message.on('error', () => {})
      done({ status: message.statusCode ?? 502, headers: message.headers, message })
    })
    upstream.on('error', fail)
    outgoing.on('close', () => upstream.destroy())
    upstream.end(body)
  })
