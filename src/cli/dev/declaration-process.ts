import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Question } from '../../migrate/decide/questions-to-people.ts'
import type { FromChild, Loaded, OpenReply, OpenWanted, ToChild } from './messages.ts'

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** How long a process may take to end before it is killed. Its code may be in an endless loop. */
const endMs = 1_500

/** The parent's side of a child process. It starts at once, and loads the engine while it waits for the declaration. */
export class DeclarationProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<Ending>
  readonly #loaded = Promise.withResolvers<Loaded>()
  readonly #opened = Promise.withResolvers<OpenReply>()
  #answer: (question: Question | null) => Promise<string | null> = async () => null

  constructor(place: string) {
    const [, program = ''] = process.argv
    this.#child = fork(program, ['dev', place, '--child-of', String(process.pid)], {
      // The terminal is the parent's.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // What could not be sent was for a process that has ended, of which `ended` tells.
    this.#child.on('error', () => {})
    this.#child.on('message', (message: FromChild) => {
      if (message.kind === 'loaded') this.#loaded.resolve(message)
      else if (message.kind === 'opened') this.#opened.resolve(message)
      else void this.#answer(message.question).then((answer) => this.#send({ kind: 'answer', answer }))
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        resolve({ code, signal })
        const hint = signal ? '' : ' Does its code call process.exit?'
        const refused = `The process of the declaration ended (${signal ?? `exit code ${code}`}).${hint}`
        this.#loaded.resolve({ refused, files: [] })
        this.#opened.resolve({ refused, opened: null })
      })
    })
  }

  load(): Promise<Loaded> {
    this.#send({ kind: 'load' })
    return this.#loaded.promise
  }

  /** `answer` is asked what the store's migration needs to know. */
  open(open: OpenWanted, answer: (question: Question | null) => Promise<string | null>): Promise<OpenReply> {
    this.#answer = answer
    this.#send({ kind: 'open', open })
    return this.#opened.promise
  }

  /** Hands over a connection. */
  adopt(socket: Socket): void {
    if (this.#child.connected) this.#child.send({ kind: 'adopt' } satisfies ToChild, socket)
    else socket.destroy()
  }

  explain(): void {
    this.#send({ kind: 'explain' })
  }

  /** Lets it answer the requests in flight, for about a second, those of connections that were just handed over too. */
  async end(): Promise<void> {
    this.#send({ kind: 'end' })
    const timer = setTimeout(() => this.kill(), endMs)
    await this.ended
    clearTimeout(timer)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message)
  }
}
