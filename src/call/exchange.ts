import type { Maybe } from '../maybe.ts'
import type { Caller } from './caller.ts'

/** A request as the engine sees it, from a socket or from a test. */
export interface PlainRequest {
  readonly method: string
  /** As sent, before the question mark. */
  readonly path: string
  /** As sent, after the question mark; empty when there is none. */
  readonly query: string
  /** Names in lower case; a header sent twice is joined with a comma. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Reads the body, at most `limit` bytes; throws the problem `body-too-large` beyond. Called once, and late. */
  readBody(limit: number): Maybe<Uint8Array>
  /** Where the call came from, behind trusted proxies. */
  readonly address: string
  /** The connection, where several requests share one: the same object for all of them. */
  readonly connection?: object
  readonly id: string
  /** `https://api.example.com`, where it is known from a trusted proxy or the Host header; for documents only. */
  readonly origin: string
  /** Who calls, where code of this process says it. Nothing that is sent can set it. */
  readonly caller?: Caller
  /** Filled in by the engine while it handles the request. */
  readonly note?: RequestNote
}

/** What the engine found out about a request; for logs, metrics and spans. */
export interface RequestNote {
  /** `/orders/{id}/items` */
  route: string | null
  version: string | null
  account: string | null
  /** Within the account. Not for logs: it may be a person. */
  subject: string | null
  /** A key's id, never the key. */
  consumer: string | null
  replayed: boolean
  /** Sent to the store so far. */
  statements: number
  /** The time of those statements. */
  statementMs: number
}

/** A body that goes on until the client leaves or the server ends it. */
export interface LiveBody {
  /** What is sent next; null at the end. The adapter asks again when the client has taken the last text. */
  next(): Promise<string | null>
  /** Called by the adapter when the client has left or the process stops. */
  end(): void
}

export interface PlainResponse {
  readonly status: number
  /** An object of this response's own: the shell adds to it. */
  readonly headers: { [name: string]: string }
  readonly body: string | Uint8Array | null
  /** The length of the body, where it is known. */
  readonly bytes?: number | undefined
  /** Sent instead of `body`. */
  readonly live?: LiveBody | undefined
}
