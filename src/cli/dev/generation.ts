import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Question } from '../../store/schema/follow/open-decisions.ts'
import type { Asked, LoadWanted, OpenWanted, Reply, ToGeneration, Wanted } from './messages.ts'

/** How a generation's process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The parent's side of a generation. Its process starts at once, and loads the engine while it waits for the declaration. */
export class Generation {
  readonly #child: ChildProcess
  readonly #replies = new Map<number, (reply: Reply) => void>()
  readonly ended: Promise<Ending>
  #answer: (question: Question | null) => Promise<string | null> = async () => null
  #lastId = 0
  #hasEnded = false

  constructor() {
    const [, program = ''] = process.argv
    this.#child = fork(program, ['dev', '--generation-of', String(process.pid)], {
      // The terminal is the parent's.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // What could not be sent was for a process that has ended, of which `ended` tells.
    this.#child.on('error', () => {})
    this.#child.on('message', (message: Reply | Asked) => {
      if ('asked' in message) return void this.#onAsked(message)
      this.#replies.get(message.id)?.(message)
      this.#replies.delete(message.id)
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#hasEnded = true
        resolve({ code, signal })
        const refused = `The process of the declaration ended (${signal ?? `exit code ${code}`}).`
        for (const [id, answer] of this.#replies) answer({ id, refused })
      })
    })
  }

  load(load: LoadWanted): Promise<Reply> {
    return this.#ask({ wanted: 'load', load })
  }

  /** `answer` is asked what the store's migration needs to know. */
  open(open: OpenWanted, answer: (question: Question | null) => Promise<string | null>): Promise<Reply> {
    this.#answer = answer
    return this.#ask({ wanted: 'open', open })
  }

  ask(wanted: Exclude<Wanted['wanted'], 'load' | 'open'>): Promise<Reply> {
    return this.#ask({ wanted })
  }

  /** Hands over a connection. */
  adopt(socket: Socket): void {
    if (this.#child.connected) this.#child.send({ wanted: 'adopt' } satisfies ToGeneration, socket)
    else socket.destroy()
  }

  /** Lets it answer the requests in flight, and end. */
  retire(): void {
    if (this.#child.connected) this.#child.send({ wanted: 'retire' } satisfies ToGeneration)
  }

  /** It ends within a second. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect()
  }

  kill(): void {
    if (!this.#hasEnded) this.#child.kill('SIGKILL')
  }

  async #onAsked({ asked, question }: Asked): Promise<void> {
    const answer = await this.#answer(question)
    if (this.#child.connected) this.#child.send({ wanted: 'answer', asked, answer } satisfies ToGeneration)
  }

  #ask(wanted: Wanted): Promise<Reply> {
    const id = ++this.#lastId
    if (!this.#child.connected)
      return Promise.resolve({ id, refused: 'The process of the declaration has ended.' })
    const { promise, resolve } = Promise.withResolvers<Reply>()
    this.#replies.set(id, resolve)
    this.#child.send({ ...wanted, id } satisfies ToGeneration)
    return promise
  }
}
