import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Maybe } from '../maybe.ts'
import { type Problem, problem } from '../problems.ts'
import type { RequestNote } from '../request/exchange.ts'
import { type Admission, overloaded } from './overload.ts'
import { type Forwarded, type Proxies, plainAddress } from './proxies.ts'
import { readHeaders } from './request-headers.ts'
import { isRequestId } from './request-id.ts'
import { type ArrivedRequest, emptyNote } from './shell.ts'

type Headers = ReturnType<typeof readHeaders>

const nothing = new Uint8Array(0)

/** A request of node:http as the engine sees it. What few requests need is worked out when it is asked for. */
export class NodeRequest implements ArrivedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly id: string
  readonly note: RequestNote = emptyNote()
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The client waits to be told before it sends the body. */
  readonly expectsContinue: boolean
  readonly #forwarded: Forwarded | null
  readonly #admission: Admission
  #bodyTaken = false

  constructor(parts: NodeRequestParts) {
    const { incoming, outgoing, proxies, admission, makeId, expectsContinue } = parts
    const url = originForm(incoming.url ?? '/')
    const mark = url.indexOf('?')
    const peer = proxies ? plainAddress(incoming.socket.remoteAddress) : ''
    const trusted = proxies?.trusts(peer) ?? false
    const headers = readHeaders(incoming.rawHeaders)
    const givenId = trusted ? headers['x-request-id'] : undefined
    this.method = incoming.method ?? 'GET'
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
    this.headers = headers
    this.incoming = incoming
    this.outgoing = outgoing
    this.id = isRequestId(givenId) ? givenId : makeId()
    this.#forwarded = trusted && proxies ? proxies.read(headers, peer) : null
    this.#admission = admission
    this.expectsContinue = expectsContinue
  }

  get connection(): object {
    return this.incoming.socket
  }

  get address(): string {
    return this.#forwarded?.address ?? plainAddress(this.incoming.socket.remoteAddress)
  }

  get origin(): string {
    const host = this.#forwarded?.host ?? this.headers.host ?? ''
    return `${this.#forwarded?.proto ?? 'http'}://${isHost(host) ? host : 'localhost'}`
  }

  /** Bytes are on their way that nobody will read. */
  get hasUnreadBody(): boolean {
    return !this.#bodyTaken && hasBody(this.headers)
  }

  readBody(limit: number): Maybe<Uint8Array> {
    if (!hasBody(this.headers)) return nothing
    const length = Number(this.headers['content-length'] ?? 0)
    if (length > limit) throw tooLarge(limit)
    this.#bodyTaken = true
    if (this.expectsContinue) this.outgoing.writeContinue()
    return collect(this.incoming, limit, this.#admission).catch((error: unknown) => {
      this.#bodyTaken = this.incoming.readableEnded
      throw error
    })
  }
}

export interface NodeRequestParts {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly proxies: Proxies | null
  readonly admission: Admission
  readonly makeId: () => string
  readonly expectsContinue: boolean
}

/** RFC 9112 §3.2.2: a server takes the absolute form too, which names what the Host header names. */
export const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
  const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)
  const rest = absolute?.[1] ?? target
  return absolute && !rest.startsWith('/') ? `/${rest}` : rest
}

/** Requests come for few hosts: one that was found to be valid need not be looked through again. */
let lastHost = ''

export const isHost = (text: string): boolean => {
  if (text === lastHost) return text !== ''
  if (!/^[\w.~%!$&'()*+;=:[\]-]{1,255}$/.test(text)) return false
  lastHost = text
  return true
}

const hasBody = (headers: Headers): boolean => {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0'
}

const collect = (incoming: IncomingMessage, limit: number, admission: Admission): Promise<Uint8Array> => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  let size = 0
  const end = (): void => {
    incoming.off('data', onData).off('end', onEnd).off('close', onClose)
    admission.endBody(size)
  }
  const fail = (error: Error): void => {
    end()
    // Whoever answers decides what becomes of the rest.
    incoming.pause()
    reject(error)
  }
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    const fits = admission.growBody(chunk.length)
    if (size > limit) fail(tooLarge(limit))
    else if (!fits) fail(overloaded())
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    end()
    if (!admission.mayGoOn()) return reject(overloaded())
    resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
  }
  const onClose = (): void =>
    fail(problem('bad-request', { detail: 'The body ended before it was complete.' }))
  admission.beginBody()
  incoming.on('data', onData).once('end', onEnd).once('close', onClose)
  incoming.once('error', () => {})
  return promise
}

const tooLarge = (limit: number): Problem =>
  problem('body-too-large', { detail: `The body may have at most ${limit} bytes.`, members: { limit } })
