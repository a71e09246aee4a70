import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { PlainResponse } from '../request/exchange.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { NodeRequest } from './node-request.ts'
import type { Admission } from './overload.ts'
import type { Proxies } from './proxies.ts'
import { faultOf } from './request-fault.ts'
import { createRequestIds } from './request-id.ts'
import { headWriter } from './response-head.ts'
import type { Shell } from './shell.ts'
import { writeResponse } from './write-response.ts'

export interface NodeServerOptions {
  readonly shell: Shell
  readonly proxies: Proxies | null
  readonly admission: Admission
  /** Request line and headers together; the URL may have half of it. */
  readonly headerBytes: number
  readonly timeouts?: Partial<Timeouts>
}

export interface Timeouts {
  /** From the start of a request to the end of its headers. */
  readonly headersMs: number
  /** To the end of its body. */
  readonly requestMs: number
  /** Longer than the minute that load balancers keep theirs, so that they close first. */
  readonly keepAliveMs: number
  /** Without a byte in either direction. */
  readonly idleMs: number
  /** How often the first two are looked at. */
  readonly checkMs: number
}

const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  idleMs: 120_000,
  checkMs: 1_000,
}
const maxConnections = 10_000

export interface NodeServer {
  readonly server: Server
  listen(port: number, host?: string): Promise<AddressInfo>
  /**
   * Finishes what is in flight, says `Connection: close` on the last answer of each connection, then closes; what is left after
   * `graceMs` is cut off.
   */
  stop(options?: { readonly lingerMs?: number; readonly graceMs?: number }): Promise<void>
}

/** The requests of one connection, of which more may come before the first is answered. */
interface Line {
  unanswered: number
  /** The answer to the last that came; null when all have been given, so that a quiet connection keeps none. */
  last: ServerResponse | null
  /** It ends with an answer that has been given. */
  closing: boolean
}

const newLine = (): Line => ({ unanswered: 0, last: null, closing: false })

export const createNodeServer = (options: NodeServerOptions): NodeServer => {
  const { shell, proxies, admission, headerBytes } = options
  const makeId = createRequestIds()
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const writeHead = headWriter(timeouts.keepAliveMs)
  const lines = new Map<Socket, Line>()
  let stopping = false

  const receive = (incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void => {
    const line = lines.get(incoming.socket) ?? newLine()
    // RFC 9112 §9.6: it would never be answered, so it must not be begun.
    if (line.closing) return void incoming.resume()
    line.unanswered++
    line.last = outgoing
    const request = new NodeRequest({ incoming, outgoing, proxies, admission, makeId, expectsContinue })
    const send = (response: PlainResponse): void => {
      // Those that came after it have been begun, and shall be answered too.
      const isLast = stopping && line.last === outgoing
      if (--line.unanswered === 0) line.last = null
      try {
        if (writeResponse(request, response, writeHead, isLast)) line.closing = true
      } catch (error) {
        line.closing = true
        writeResponse(request, shell.refuse(request, error), writeHead, true)
      }
    }
    const fault = faultOf(request, headerBytes)
    const response = fault ? shell.refuse(request, fault) : shell.answer(request)
    if (response instanceof Promise) void response.then(send)
    else send(response)
  }

  const refuseBytes = (error: Error, socket: Socket): void => {
    const id = makeId()
    answerBrokenRequest(error, socket, (failure, path) => shell.refuseBytes(id, failure, path))
  }

  const server = createServer(serverOptions(headerBytes, timeouts))
  server.maxConnections = maxConnections
  server.timeout = timeouts.idleMs
  server.on('request', (incoming, outgoing) => receive(incoming, outgoing, false))
  server.on('checkContinue', (incoming, outgoing) => receive(incoming, outgoing, true))
  // An expectation that is not known may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', (incoming, outgoing) => receive(incoming, outgoing, false))
  server.on('clientError', (error, socket) => refuseBytes(error, socket as Socket))
  server.on('connect', (_, socket) => refuseBytes(new Error('CONNECT'), socket as Socket))
  server.on('connection', (socket) => {
    lines.set(socket, newLine())
    socket.once('close', () => lines.delete(socket))
  })

  return {
    server,
    async listen(port, host = '127.0.0.1') {
      server.listen(port, host)
      await once(server, 'listening')
      return server.address() as AddressInfo
    },
    async stop({ lingerMs = 0, graceMs = 10_000 } = {}) {
      stopping = true
      for (const [socket, line] of lines) endWithLast(socket, line)
      if (lingerMs > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs))
      await close(server, lines.keys(), graceMs)
    },
  }
}

/** The last answer may have been given before anybody knew it would be the last, and wait for those before it. */
const endWithLast = (socket: Socket, line: Line): void => {
  const { last } = line
  if (!last?.writableEnded) return
  line.closing = true
  last.once('finish', () => socket.destroySoon())
}

const close = async (server: Server, sockets: Iterable<Socket>, graceMs: number): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  // Connections that never sent a byte do not count as idle for node:http.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(timer)
}

const serverOptions = (headerBytes: number, timeouts: Timeouts) => ({
  maxHeaderSize: headerBytes,
  headersTimeout: timeouts.headersMs,
  requestTimeout: timeouts.requestMs,
  keepAliveTimeout: timeouts.keepAliveMs,
  connectionsCheckingInterval: timeouts.checkMs,
  // Refused by us, as a problem.
  requireHostHeader: false,
  insecureHTTPParser: false,
})
