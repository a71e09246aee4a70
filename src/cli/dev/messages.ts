import type { Question } from '../../migrate/decide/questions-to-people.ts'
import type { ImportedFile } from '../mistake-places/imported-files.ts'

/**
 * `nounkit dev` is one process that owns the port and the terminal, and a child process for each state of the declaration. These are the
 * messages between them. The next child is started early, and loads the engine while it waits for `load`.
 */
export type ToChild =
  /** Import and compile the declaration. */
  | { readonly kind: 'load' }
  /** Make the store fit, and serve. */
  | { readonly kind: 'open'; readonly open: OpenWanted }
  | { readonly kind: 'answer'; readonly answer: string | null }
  /** Serve the connection that comes with this message. */
  | { readonly kind: 'adopt' }
  /** Answer the requests in flight, and end. */
  | { readonly kind: 'end' }
  /** Print the last statement of a request, with its plan. */
  | { readonly kind: 'explain' }

export type FromChild =
  | ({ readonly kind: 'loaded' } & Loaded)
  /** A question for the person; null to ask that the process which serves ends, because the store is about to change. */
  | { readonly kind: 'asked'; readonly question: Question | null }
  | ({ readonly kind: 'opened' } & OpenReply)

export interface OpenWanted {
  /** The URL of the API, for calls to try. */
  readonly url: string
  /** Whether the store is emptied first. */
  readonly reset: boolean
  /** Whether there is a person who can be asked. */
  readonly asks: boolean
  /** Whether no other process of this command serves the store. */
  readonly alone: boolean
}

export interface Loaded {
  /** The mistakes, as text for the terminal; null where there are none. */
  readonly refused: string | null
  readonly files: readonly ImportedFile[]
}

export type OpenReply =
  | { readonly refused: string; readonly opened: null }
  | { readonly refused: null; readonly opened: Opened }

/** What is shown when a process begins to answer. */
export interface Opened {
  readonly title: string
  readonly versions: readonly string[]
  readonly store: string
  /** How the store followed the declaration, a sentence each. */
  readonly notes: readonly string[]
  /** What is allowed and probably not meant. */
  readonly warnings: readonly string[]
  /** Why the store cannot be emptied; null where it can. */
  readonly whyNoReset: string | null
  readonly key: DevelopmentKey
}

export interface DevelopmentKey {
  /** Null where the API has one account. */
  readonly account: string | null
  /** Null when the key was made, and shown, earlier. */
  readonly secret: string | null
  /** Calls to try with a new key. */
  readonly calls: readonly string[]
}
