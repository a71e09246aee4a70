import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { LiveBody, PlainResponse } from '../call/exchange.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { addressHolder, FairLimit } from './fair-limit.ts'
import { NodeRequest } from './node-request.ts'
import { type Admission, defaultBounds } from './overload.ts'
import { type Proxies, plainAddress } from './proxies.ts'
import { faultOf } from './request-fault.ts'
import { createRequestIds } from './request-id.ts'
import type { Shell } from './shell.ts'
import { holdUntilTaken, untakenMs } from './untaken-answers.ts'
import { writeResponse } from './write-response.ts'

export interface NodeServerOptions {
  readonly shell: Shell
  readonly proxies: Proxies | null
  readonly admission: Admission
  readonly prefix: string
  /** The limit on the request line and headers together. The URL may take half of it. */
  readonly headerBytes: number
  readonly timeouts?: Partial<Timeouts>
  readonly maxConnections?: number | undefined
}

export interface Timeouts {
  /** From the start of a request to the end of its headers. */
  readonly headersMs: number
  /** From the start of a request to the end of its body. */
  readonly requestMs: number
  /** Longer than the minute that load balancers keep idle connections, so that they close first. */
  readonly keepAliveMs: number
  /** Without a byte in either direction. */
  readonly idleMs: number
  /** Without a byte taken of an answer that waits for its client. */
  readonly untakenMs: number
  /** How often `headersMs` and `requestMs` are checked. */
  readonly checkMs: number
}

const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  idleMs: 120_000,
  untakenMs,
  checkMs: 1_000,
}

export interface StopOptions {
  /** How long to go on answering before the port is closed. */
  readonly lingerMs?: number
  /** How long requests in flight may take before their connections are cut. */
  readonly graceMs?: number
}

/** A connection. Pipelined requests may arrive before the first one is answered. */
interface Connection {
  unanswered: number
  /** The response to the latest request; null when all requests are answered, so that idle connections keep no response in memory. */
  last: ServerResponse | null
  /** Whether an answer with `Connection: close` was sent. */
  closing: boolean
}

const newConnection = (): Connection => ({ unanswered: 0, last: null, closing: false })

/** Serves a shell with node:http. */
export class NodeServer {
  readonly #options: NodeServerOptions
  readonly #server: Server
  readonly #makeId = createRequestIds()
  readonly #connections = new Map<Socket, Connection>()
  readonly #untakenMs: number
  readonly #maxConnections: number
  /** The connections, by address. */
  readonly #open: FairLimit
  /** Answers that go on until somebody ends them. */
  readonly #live = new Set<LiveBody>()
  #stopping = false
  #adopts = false

  constructor(options: NodeServerOptions) {
    this.#options = options
    const timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#untakenMs = timeouts.untakenMs
    this.#maxConnections = options.maxConnections ?? defaultBounds.connections
    this.#open = new FairLimit(this.#maxConnections)
    this.#server = createServer(serverOptions(options.headerBytes, timeouts))
    this.#server.maxConnections = this.#maxConnections
    this.#server.timeout = timeouts.idleMs
    this.#server.on('request', (incoming, outgoing) => this.#receive(incoming, outgoing, false))
    this.#server.on('checkContinue', (incoming, outgoing) => this.#receive(incoming, outgoing, true))
    // RFC 9110 §10.1.1: an unknown expectation may be ignored.
    this.#server.on('checkExpectation', (incoming, outgoing) => this.#receive(incoming, outgoing, false))
    this.#server.on('clientError', (error, socket) => this.#refuseBytes(error, socket as Socket))
    this.#server.on('connect', (_, socket) => this.#refuseBytes(new Error('CONNECT'), socket as Socket))
    this.#server.on('connection', (socket) => this.#accept(socket))
  }

  async listen(port: number, host = '127.0.0.1'): Promise<AddressInfo> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return this.#server.address() as AddressInfo
  }

  /** Serves a connection that was accepted elsewhere. */
  adopt(socket: Socket): void {
    this.#adopts = true
    this.#server.emit('connection', socket)
  }

  /** Finishes requests in flight, sends `Connection: close` on the last answer of each connection, then closes the port. */
  async stop({ lingerMs = 0, graceMs = 10_000 }: StopOptions = {}): Promise<void> {
    this.#stopping = true
    for (const live of this.#live) live.end()
    for (const [socket, connection] of this.#connections) closeAfterLast(socket, connection)
    if (lingerMs > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs))
    const closed = once(this.#server, 'close')
    this.#server.close()
    // node:http does not count connections that never sent a byte as idle, so it would wait for them.
    for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy()
    const timer = setTimeout(() => this.#cut(), graceMs)
    await closed
    if (this.#adopts) await this.#adoptedClosed()
    clearTimeout(timer)
  }

  #cut(): void {
    this.#server.closeAllConnections()
    for (const socket of this.#connections.keys()) socket.destroy()
  }

  /** node:http only knows of connections that it has accepted itself, so the others are closed here. */
  async #adoptedClosed(): Promise<void> {
    for (const [socket, { unanswered }] of this.#connections) if (unanswered === 0) socket.destroySoon()
    const sockets = [...this.#connections.keys()]
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  }

  /** An address that has its share of the connections gets no more. A trusted proxy brings those of many clients. */
  #accept(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress)
    const isProxy = this.#options.proxies?.trusts(address) ?? false
    const holder = addressHolder(address)
    const fits = this.#open.take(holder, 1) || (isProxy && this.#open.total <= this.#maxConnections)
    this.#connections.set(socket, newConnection())
    socket.once('close', () => {
      this.#connections.delete(socket)
      this.#open.giveBack(holder, 1)
    })
    if (!fits) socket.destroy()
  }

  #receive(incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void {
    const connection = this.#connections.get(incoming.socket) ?? newConnection()
    // RFC 9112 §9.6: a request after `Connection: close` will not be answered, so it must not be processed.
    if (connection.closing) return void incoming.resume()
    connection.unanswered++
    connection.last = outgoing
    const { shell, proxies, admission, headerBytes, prefix } = this.#options
    const makeId = this.#makeId
    const request = new NodeRequest({
      incoming,
      outgoing,
      proxies,
      admission,
      makeId,
      expectsContinue,
      prefix,
    })
    const fault = faultOf(request, headerBytes)
    const response = fault ? shell.refuse(request, fault) : shell.answer(request)
    if (response instanceof Promise) void response.then((answer) => this.#send(connection, request, answer))
    else this.#send(connection, request, response)
  }

  #send(connection: Connection, request: NodeRequest, response: PlainResponse): void {
    // Later pipelined requests are being processed already, so they are answered before the connection is closed.
    const isLast = this.#stopping && connection.last === request.outgoing
    if (--connection.unanswered === 0) connection.last = null
    if (response.live) this.#keepLive(request, response.live)
    try {
      if (writeResponse(request, response, isLast)) connection.closing = true
      holdUntilTaken(request, response, this.#options.admission, this.#untakenMs)
    } catch (error) {
      connection.closing = true
      writeResponse(request, this.#options.shell.refuse(request, error), true)
    }
  }

  #keepLive({ outgoing }: NodeRequest, live: LiveBody): void {
    if (this.#stopping) return live.end()
    this.#live.add(live)
    outgoing.once('close', () => this.#live.delete(live))
  }

  #refuseBytes(error: Error, socket: Socket): void {
    const id = this.#makeId()
    const { shell } = this.#options
    answerBrokenRequest(error, socket, (failure, path) => shell.refuseBytes(id, failure, path))
  }
}

/** When a stop begins, the answer to the last request may already wait behind earlier ones, without `Connection: close`. */
const closeAfterLast = (socket: Socket, connection: Connection): void => {
  const { last } = connection
  if (!last?.writableEnded) return
  connection.closing = true
  last.once('finish', () => socket.destroySoon())
}

const serverOptions = (headerBytes: number, timeouts: Timeouts) => ({
  maxHeaderSize: headerBytes,
  headersTimeout: timeouts.headersMs,
  requestTimeout: timeouts.requestMs,
  keepAliveTimeout: timeouts.keepAliveMs,
  connectionsCheckingInterval: timeouts.checkMs,
  // A missing Host is refused by `faultOf`, as a problem.
  requireHostHeader: false,
  insecureHTTPParser: false,
  // RFC 9110 §5.3. Two Authorization or Host headers become one that is not valid, instead of the first one being used.
  joinDuplicateHeaders: true,
})
