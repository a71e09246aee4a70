import { relative } from 'node:path'
import type { Question } from '../../migrate/decide/questions-to-people.ts'
import { DeclarationProcess, type Ending } from './declaration-process.ts'
import { FileWatcher } from './file-watcher.ts'
import type { FrontDoor } from './front-door.ts'
import type { Loaded, Opened, OpenReply } from './messages.ts'

export interface SupervisorOptions {
  /** The folder or file of the declaration. */
  readonly place: string
  readonly url: string
  readonly door: FrontDoor
  /** Called when a process serves, with what made it start; '' for the first one. */
  readonly onServing: (opened: Opened, reason: string, ms: number) => void
  /** Called when the declaration has changed, before it is imported. */
  readonly onChange: () => void
  readonly say: (text: string) => void
  /** Asks the person until `dropped`; null where there is no terminal. */
  readonly ask: ((question: Question, dropped: Promise<void>) => Promise<string | null>) | null
}

/** Why the next process starts. */
interface Trigger {
  readonly reason: string
  /** Whether the store is emptied. */
  readonly reset: boolean
  /** When it was noticed. */
  readonly at: number
}

/** After this long without an answer, the person is told what may be the cause. */
const longLoadMs = 5_000
/** A process that ends sooner than this would end again, so the next one waits for a change. */
const healthyMs = 5_000

/** Starts a process for every change of the declaration's files, and leads connections to the last one without mistakes. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #watcher = new FileWatcher((paths, at) => {
    this.#options.onChange()
    this.#request({ reason: changedText(paths), reset: false, at })
  })
  readonly #living = new Set<DeclarationProcess>()
  /** The next process, which loads the engine before it is needed: that takes most of the time until the API is there. */
  #spare: DeclarationProcess | null = null
  #serving: DeclarationProcess | null = null
  #hasServed = false
  /** How long the person was asked since the last change: it is no part of a reload's time. */
  #askedMs = 0
  #requested: Trigger | null = { reason: '', reset: false, at: performance.now() }
  #wake: () => void = () => {}
  #stopping = false

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Until `stop`. */
  async run(): Promise<void> {
    for (;;) {
      await this.#whenRequested()
      if (this.#stopping || !this.#requested) return
      const trigger = this.#requested
      this.#requested = null
      await this.#next(this.#spare ?? this.#start(), trigger)
      if (!this.#stopping) this.#spare = this.#start()
    }
  }

  /** Empties the store, and starts the API again. */
  reset(): void {
    this.#request({ reason: 'Reset', reset: true, at: performance.now() })
  }

  /** Prints the last statement of a request, with its plan. */
  explain(): void {
    if (this.#serving) this.#serving.explain()
    else this.#options.say('Nothing is served yet.')
  }

  /** Resolves when every process has ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake()
    this.#watcher.close()
    await Promise.all([...this.#living].map((living) => living.end()))
  }

  /** Ends every process at once. */
  kill(): void {
    for (const living of this.#living) living.kill()
  }

  #request({ reason, reset, at }: Trigger): void {
    this.#requested = { reason, reset: reset || this.#requested?.reset === true, at }
    this.#wake()
  }

  #whenRequested(): Promise<void> {
    if (this.#requested || this.#stopping) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #start(): DeclarationProcess {
    const started = new DeclarationProcess(this.#options.place)
    this.#living.add(started)
    void started.ended.then(() => this.#living.delete(started))
    return started
  }

  /** Serves the declaration as it is now, unless it has mistakes or changes again before it is imported. */
  async #next(next: DeclarationProcess, { reason, reset, at }: Trigger): Promise<void> {
    this.#askedMs = 0
    this.#watcher.rebase()
    const loaded = await this.#load(next)
    if (!loaded) {
      next.kill()
      if (reset) this.reset()
      return
    }
    if (loaded.refused !== null) {
      // What was not imported because of the mistake may have to be changed to correct it.
      this.#watcher.follow(loaded.files)
      return this.#refuse(next, reason, loaded.refused)
    }
    this.#watcher.followOnly(loaded.files)
    const { refused, opened } = await this.#open(next, reset)
    if (opened) {
      const ms = performance.now() - at - this.#askedMs
      await this.#switchTo(next)
      this.#options.onServing(opened, reason, ms)
    } else if (this.#requested && !reset) {
      // A question was dropped, because the declaration changed again: what holds now is said after that.
      void next.end()
    } else this.#refuse(next, reason, refused)
  }

  /** Null when something else was requested before the declaration was imported and compiled. */
  async #load(next: DeclarationProcess): Promise<Loaded | null> {
    const timer = setTimeout(() => this.#options.say(longLoad), longLoadMs)
    const loading = next.load()
    await Promise.race([loading, this.#whenRequested()])
    clearTimeout(timer)
    return this.#requested || this.#stopping ? null : loading
  }

  /** The process that serves goes on until the next one is ready. Where the store is to be changed, it ends before that. */
  #open(next: DeclarationProcess, reset: boolean): Promise<OpenReply> {
    const { ask, url } = this.#options
    const wanted = { url, reset, asks: ask !== null, alone: this.#serving === null }
    return next.open(wanted, (question) => (question ? this.#ask(question) : this.#endServing()))
  }

  /** Asks the person. Where nothing is served meanwhile, requests are answered with the question. */
  async #ask(question: Question): Promise<string | null> {
    const { ask, door } = this.#options
    if (!this.#serving) door.refuse(`${question.text}\nAnswer in the terminal of nounkit dev.`)
    const since = performance.now()
    const answer = (await ask?.(question, this.#whenRequested())) ?? null
    this.#askedMs += performance.now() - since
    if (!this.#serving) door.hold()
    return answer
  }

  /** Connections wait from now on. */
  async #endServing(): Promise<null> {
    const old = this.#serving
    this.#serving = null
    this.#options.door.hold()
    await old?.end()
    return null
  }

  /** Resolves when the old process answers no more. */
  async #switchTo(next: DeclarationProcess): Promise<void> {
    const since = performance.now()
    const old = this.#serving
    this.#serving = next
    this.#hasServed = true
    this.#options.door.leadTo(next)
    void next.ended.then((ending) => this.#onEnd(next, ending, performance.now() - since))
    await old?.end()
  }

  #refuse(next: DeclarationProcess, reason: string, refused: string): void {
    if (this.#stopping) return
    const { say, door } = this.#options
    void next.end()
    const nothing = this.#hasServed ? 'Nothing is served' : 'Nothing is served yet'
    const state = this.#serving ? 'The API answers as before' : nothing
    say([...(reason === '' ? [] : [reason]), refused, `${state}. Waiting for a change.`].join('\n'))
    if (!this.#serving) door.refuse(refused)
  }

  /** The declaration's own code may end its process: by `process.exit`, or by an error that nothing catches. */
  #onEnd(ended: DeclarationProcess, { code, signal }: Ending, livedMs: number): void {
    if (this.#serving !== ended || this.#stopping) return
    this.#serving = null
    this.#options.door.hold()
    const reason = `The process of the API ended (${signal ?? `exit code ${code}`})`
    if (livedMs >= healthyMs) return this.#request({ reason, reset: false, at: performance.now() })
    const text = `${reason}. Nothing is served. Waiting for a change.`
    this.#options.say(text)
    this.#options.door.refuse(text)
  }
}

const longLoad = `The declaration is still being imported after ${longLoadMs / 1000} s. Does it have an endless loop, or an await that never settles? It is imported again when it changes.`

const shownMost = 3

function changedText(paths: readonly string[]): string {
  const names = paths.map((path) => relative(process.cwd(), path))
  const more = names.length > shownMost ? ` and ${names.length - shownMost} more` : ''
  return `${names.slice(0, shownMost).join(', ')}${more} changed`
}
