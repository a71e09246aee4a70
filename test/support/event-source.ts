/** One dispatched event of a stream, as a browser's EventSource would give it. */
export interface Dispatched {
  readonly id: string
  readonly type: string
  readonly data: string
}

/** Reads a stream of server-sent events, by the rules of the HTML standard. */
export class StreamReader {
  /** What a browser sends as Last-Event-ID when it reconnects. */
  lastEventId = ''
  /** Milliseconds that the server asks to wait before reconnecting. */
  retry: number | null = null
  comments = 0
  /** True when the server has ended the stream. */
  isOver = false
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #rest = ''
  #lines: string[] = []
  readonly #dispatched: Dispatched[] = []

  constructor(response: Response) {
    if (!response.body) throw new Error('The answer has no body.')
    this.#reader = response.body.getReader()
  }

  /** Waits for the first lines, which the server sends at once. */
  async opened(): Promise<this> {
    while (this.lastEventId === '') if (!(await this.#read())) throw new Error('The stream has ended.')
    return this
  }

  /** The next `count` events. Throws when the stream ends before. */
  async take(count: number): Promise<readonly Dispatched[]> {
    while (this.#dispatched.length < count)
      if (!(await this.#read())) throw new Error(`The stream ended after ${this.#dispatched.length} events.`)
    return this.#dispatched.splice(0, count)
  }

  /** Reads until the server ends the stream: the events that still came. */
  async rest(): Promise<readonly Dispatched[]> {
    while (await this.#read());
    return this.#dispatched.splice(0)
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel()
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (done) {
      this.isOver = true
      return false
    }
    const lines = (this.#rest + this.#decoder.decode(value, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
    return true
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    else if (line.startsWith(':')) this.comments++
    else this.#lines.push(line)
  }

  #dispatch(): void {
    const field = (name: string): string | undefined =>
      this.#lines.findLast((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    this.lastEventId = field('id') ?? this.lastEventId
    if (field('retry') !== undefined) this.retry = Number(field('retry'))
    const data = field('data')
    if (data !== undefined)
      this.#dispatched.push({ id: this.lastEventId, type: field('event') ?? 'message', data })
    this.#lines = []
  }
}
