import type { LiveBody } from '../call/exchange.ts'
import type { EventChannel } from './event-channel.ts'

const commentEveryMs = 15_000

/**
 * The events of one open connection, as server-sent events. The adapter asks for more text only when the client has taken what was
 * sent, so a slow client is not buffered for: it is read for again where it was.
 */
export class EventStream implements LiveBody {
  readonly #channel: EventChannel
  readonly #onEnd: () => void
  /** Starts anew with every text that is sent. */
  readonly #commentTimer: NodeJS.Timeout
  #position: number
  #hasBegun = false
  #isEnded = false
  #isCommentDue = false
  /** Ends the waiting for events, where the stream waits for some. */
  #wake: () => void = () => {}

  constructor(channel: EventChannel, position: number, onEnd: (stream: EventStream) => void) {
    this.#channel = channel
    this.#position = position
    this.#onEnd = () => onEnd(this)
    this.#commentTimer = setTimeout(() => {
      this.#isCommentDue = true
      this.#wake()
    }, commentEveryMs)
  }

  async next(): Promise<string | null> {
    try {
      return this.#isEnded ? null : await this.#next()
    } catch {
      // The client's next request is answered with what is wrong.
      this.end()
      return null
    }
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#commentTimer)
    this.#wake()
    this.#onEnd()
  }

  async #next(): Promise<string | null> {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      return `retry: 2000\n${this.#place()}`
    }
    this.#isCommentDue = false
    this.#commentTimer.refresh()
    for (;;) {
      const { text, position } = await this.#channel.after(this.#position)
      this.#position = position
      if (this.#isEnded) return null
      if (text !== '') return text
      if (this.#isCommentDue) return `:\n${this.#place()}`
      await this.#grown()
    }
  }

  /** Resolves when something may follow, when a comment is due, or when the stream has ended. */
  async #grown(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const cancel = this.#channel.whenGrown(this.#position, resolve)
    await promise
    cancel()
  }

  /** Without data, no event is dispatched; the client only remembers the id, so that it resumes here even if it has seen no event. */
  #place(): string {
    return `id: ${this.#channel.scan.cursorAt(this.#position)}\n\n`
  }
}
