import type { LiveBody } from '../request/exchange.ts'
import type { EventChannel } from './event-channel.ts'

const commentEveryMs = 15_000

/**
 * The events of one open connection, as server-sent events. The adapter asks for more text only when the client has taken what was
 * sent, so a slow client is not buffered for: it is read for again where it was.
 */
export class EventStream implements LiveBody {
  readonly account: string
  readonly #channel: EventChannel
  readonly #ended: Promise<void>
  readonly #onEnd: () => void
  readonly #resolveEnded: () => void
  #position: number
  #hasBegun = false
  #isEnded = false

  constructor(channel: EventChannel, position: number, onEnd: (stream: EventStream) => void) {
    this.account = channel.scan.account
    this.#channel = channel
    this.#position = position
    this.#onEnd = () => onEnd(this)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ended = promise
    this.#resolveEnded = resolve
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
    this.#resolveEnded()
    this.#onEnd()
  }

  async #next(): Promise<string | null> {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      return `retry: 2000\n${this.#place()}`
    }
    const comment = new Interval(commentEveryMs)
    try {
      for (;;) {
        const { text, position } = await this.#channel.after(this.#position)
        this.#position = position
        if (this.#isEnded) return null
        if (text !== '') return text
        if (comment.isOver) return `:\n${this.#place()}`
        await this.#channel.grown(position, Promise.race([this.#ended, comment.over]))
      }
    } finally {
      comment.stop()
    }
  }

  /** Without data, no event is dispatched; the client only remembers the id, so that it resumes here even if it has seen no event. */
  #place(): string {
    return `id: ${this.#channel.scan.cursorAt(this.#position)}\n\n`
  }
}

class Interval {
  isOver = false
  readonly over: Promise<void>
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.over = promise
    this.#timer = setTimeout(() => {
      this.isOver = true
      resolve()
    }, ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
