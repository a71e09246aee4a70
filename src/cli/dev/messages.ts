import type { Question } from '../../store/schema/follow/open-decisions.ts'
import type { ImportedFile } from '../mistake-places/imported-files.ts'

/**
 * `nounkit dev` is one process that owns the port and the terminal, and a child process for each state of the declaration: a
 * generation. These are the messages between them.
 */

export interface OpenWanted {
  /** Whether the store is emptied first. */
  readonly reset: boolean
  /** Whether there is a person who can be asked. */
  readonly asks: boolean
  /** Whether no other generation serves the store. */
  readonly alone: boolean
}

export interface LoadWanted {
  /** The folder or file of the declaration. */
  readonly place: string
  /** Of the API, for calls to try. */
  readonly url: string
}

/** What the parent asks of a generation. Each has one reply. */
export type Wanted =
  /** Import and compile the declaration. */
  | { readonly wanted: 'load'; readonly load: LoadWanted }
  /** Migrate the store and get ready to answer. */
  | { readonly wanted: 'open'; readonly open: OpenWanted }
  /** Finish the requests in flight and close the connections. */
  | { readonly wanted: 'drain' }
  /** Take connections again after a drain. */
  | { readonly wanted: 'resume' }
  /** Print the last statement of a request, with its plan. */
  | { readonly wanted: 'explain' }

export type ToGeneration =
  | (Wanted & { readonly id: number })
  /** Serve the connection that comes with this message. */
  | { readonly wanted: 'adopt' }
  /** End once the requests in flight are answered. */
  | { readonly wanted: 'retire' }
  | { readonly wanted: 'answer'; readonly asked: number; readonly answer: string | null }

/** What a generation asks of the parent before it replies to `open`. */
export interface Asked {
  readonly asked: number
  /** For the person; null to ask that the generation which serves drains, because the store is about to change. */
  readonly question: Question | null
}

export interface Reply {
  readonly id: number
  /** The mistakes, as text for the terminal; null when it is done. */
  readonly refused: string | null
  /** After `load`. */
  readonly files?: readonly ImportedFile[]
  /** After `open`. */
  readonly opened?: Opened
}

/** What is shown when a generation begins to answer. */
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
  readonly account: string
  /** Null when the key was made, and shown, earlier. */
  readonly secret: string | null
  /** Calls to try with a new key. */
  readonly calls: readonly string[]
}
