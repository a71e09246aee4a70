import { setImmediate } from 'node:timers/promises'
import { Problem } from '../problems.ts'
import type { EventScan, ShownAt } from './event-scan.ts'

/** Text for a stream, and the position of the last event that was looked at for it. */
export interface Frames {
  readonly text: string
  readonly position: number
}

interface Frame {
  readonly position: number
  readonly text: string
}

/** Reads of one channel are at least this far apart: events of many commits are read together. */
const readEveryMs = 5
const retryMs = 500
const eventsPerRead = 200
/** Characters of recent events that are kept. A stream that is further behind reads the log itself. */
const mostKept = 131_072

/**
 * The newest events of one account, as all streams with the same query and the same audience show them: events are read and
 * written as text once, however many streams there are.
 */
export class EventChannel {
  readonly scan: EventScan
  readonly #frames: Frame[] = []
  /** Every event that is shown and is after `#start` and up to `#end` has a frame. */
  #start: number
  #end: number
  #kept = 0
  /** How many events are read for a stream that is behind: fewer where they are large. */
  #behindAtOnce = eventsPerRead
  readonly #waiting = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null
  #reading = false
  #isClosed = false
  #isStale = false
  #refusal: Problem | null = null

  constructor(scan: EventScan, last: number) {
    this.scan = scan
    this.#start = last
    this.#end = last
  }

  /** What follows a position. Its text is empty, and its position the same, where nothing does. */
  async after(position: number): Promise<Frames> {
    if (this.#refusal) throw this.#refusal
    if (position < this.#start) return this.#behind(position)
    const texts: string[] = []
    for (let at = this.#frames.length - 1; at >= 0; at--) {
      const frame = this.#frames[at]
      if (!frame || frame.position <= position) break
      texts.push(frame.text)
    }
    return { text: texts.reverse().join(''), position: Math.max(position, this.#end) }
  }

  /** The position up to which events have been read. */
  get position(): number {
    return this.#end
  }

  /** Calls `grown` once, when something may have been added after a position, unless the returned function is called before. */
  whenGrown(position: number, grown: () => void): () => void {
    if (this.#end > position || this.#refusal) grown()
    else this.#waiting.add(grown)
    return () => this.#waiting.delete(grown)
  }

  /** Events of the account may have been committed. */
  wake(): void {
    this.#isStale = true
    if (this.#reading || this.#timer) return
    this.#reading = true
    void this.#read().then((failed) => {
      this.#reading = false
      if (this.#isClosed) return
      this.#timer = setTimeout(
        () => {
          this.#timer = null
          if (this.#isStale) this.wake()
        },
        failed ? retryMs : readEveryMs,
      )
    })
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Returns whether the store could not be read. Events may be committed meanwhile, which `#isStale` tells. */
  async #read(): Promise<boolean> {
    this.#isStale = false
    let failed = false
    try {
      for (let hasMore = true; hasMore; ) {
        const page = await this.scan.page(this.#end, eventsPerRead, 'oldest-first', 'what is placed')
        for (const event of page.events) this.#keep(this.#frame(event))
        this.#end = page.next ?? this.#end
        hasMore = page.hasMore
        this.#tellGrown()
        if (hasMore) await setImmediate()
      }
    } catch (error) {
      // Events that follow were deleted: the streams end, and a client that resumes learns it. Else the store is unavailable.
      if (error instanceof Problem) this.#refusal = error
      else this.#isStale = failed = true
    }
    this.#tellGrown()
    return failed
  }

  #tellGrown(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const grown of waiting) grown()
  }

  /** The text is written to the client as a whole and kept until the client has taken it, so it must not be long. */
  async #behind(position: number): Promise<Frames> {
    // A stream may be far behind, and SQLite answers at once: between its pages others have their turn.
    await setImmediate()
    const { events, next } = await this.scan.page(position, this.#behindAtOnce)
    let text = ''
    for (const [at, event] of events.entries()) {
      text += this.#frame(event).text
      if (text.length < mostKept) continue
      this.#behindAtOnce = at + 1
      return { text, position: event.position }
    }
    this.#behindAtOnce = Math.min(this.#behindAtOnce * 2, eventsPerRead)
    return { text, position: next ?? position }
  }

  #frame({ position, type, text }: ShownAt): Frame {
    return { position, text: `id: ${this.scan.cursorAt(position)}\nevent: ${type}\ndata: ${text}\n\n` }
  }

  #keep(frame: Frame): void {
    this.#frames.push(frame)
    this.#kept += frame.text.length
    while (this.#kept > mostKept) {
      const oldest = this.#frames.shift()
      if (!oldest) return
      this.#kept -= oldest.text.length
      this.#start = oldest.position
    }
  }
}
