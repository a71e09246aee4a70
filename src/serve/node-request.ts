import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RequestNote } from '../call/exchange.ts'
import type { Maybe } from '../maybe.ts'
import { type Problem, problem } from '../problems.ts'
import { holderOfRequest } from './fair-limit.ts'
import { type Admission, bodiesOverShare, overloaded } from './overload.ts'
import { notBelow, withoutPrefix } from './prefix.ts'
import { type Forwarded, type Proxies, plainAddress } from './proxies.ts'
import { isRequestId } from './request-id.ts'
import { type ArrivedRequest, emptyNote } from './shell.ts'

const nothing = new Uint8Array(0)

/** A request of node:http as the engine sees it. Getters compute what few requests need. */
export class NodeRequest implements ArrivedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly id: string
  readonly note: RequestNote = emptyNote()
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean
  /** The 404 of a path outside the prefix below which the service is mounted; null for other paths. */
  readonly elsewhere: Problem | null
  readonly #forwarded: Forwarded | null
  readonly #admission: Admission
  #bodyTaken = false

  constructor(parts: NodeRequestParts) {
    const { incoming, outgoing, proxies, admission, makeId, expectsContinue, prefix = '' } = parts
    const url = originForm(parts.target ?? incoming.url ?? '/')
    const mark = url.indexOf('?')
    const peer = proxies ? plainAddress(incoming.socket.remoteAddress) : ''
    const trusted = proxies?.trusts(peer) ?? false
    const { headers } = incoming
    const givenId = trusted ? headers['x-request-id'] : undefined
    this.method = incoming.method ?? 'GET'
    const path = mark < 0 ? url : url.slice(0, mark)
    const own = withoutPrefix(path, prefix)
    this.path = own ?? path
    this.elsewhere = own === null ? notBelow(prefix) : null
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

  /** A body is arriving that nothing has read. */
  get hasUnreadBody(): boolean {
    return !this.#bodyTaken && hasBody(this.headers)
  }

  readBody(limit: number): Maybe<Uint8Array> {
    if (!hasBody(this.headers)) return nothing
    if (this.incoming.readableEnded)
      throw new Error(
        'The body was read before the service got the request. Mount the service before what parses bodies.',
      )
    const length = Number(this.headers['content-length'] ?? 0)
    if (length > limit) throw tooLarge(limit)
    this.#bodyTaken = true
    if (this.expectsContinue) this.outgoing.writeContinue()
    return collect(this, limit, this.#admission).catch((error: unknown) => {
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
  readonly prefix?: string
  /** The path and query of the request. Replaces `incoming.url`, from which another server may have taken the path below which it mounts us. */
  readonly target?: string
}

/** The path and query of a request target. RFC 9112 §3.2.2: servers must accept the absolute form, `http://host/path`, too. */
export const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
  const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)
  const rest = absolute?.[1] ?? target
  return absolute && !rest.startsWith('/') ? `/${rest}` : rest
}

export const isHost = (text: string): boolean => /^[\w.~%!$&'()*+;=:[\]-]{1,255}$/.test(text)

const hasBody = (headers: IncomingHttpHeaders): boolean => {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0'
}

const collect = (request: NodeRequest, limit: number, admission: Admission): Promise<Uint8Array> => {
  const { incoming } = request
  const holder = holderOfRequest(request)
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  let size = 0
  const ignore = (): void => void incoming.off('data', onData).off('end', onEnd).off('close', onClose)
  const end = (): void => {
    ignore()
    admission.endBody(holder, size)
  }
  const fail = (error: Error): void => {
    end()
    // `writeResponse` decides whether the rest of the body is read or the connection is closed.
    incoming.pause()
    reject(error)
  }
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    const fits = admission.growBody(holder, chunk.length)
    if (size > limit) fail(tooLarge(limit))
    else if (!fits) fail(bodiesOverShare())
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    ignore()
    const goOn = (): true => {
      end()
      if (!admission.mayContinue()) reject(overloaded())
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
      return true
    }
    // Many bodies may have arrived at the same moment.
    if (admission.inTurn(request, goOn) !== null) return
    end()
    reject(overloaded())
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
