import { relative } from 'node:path'
import type { Question } from '../../store/schema/follow/open-decisions.ts'
import { FileWatcher } from './file-watcher.ts'
import type { FrontDoor } from './front-door.ts'
import { type Ending, Generation } from './generation.ts'
import type { Opened, Reply } from './messages.ts'

export interface SupervisorOptions {
  /** The folder or file of the declaration. */
  readonly place: string
  readonly url: string
  readonly door: FrontDoor
  /** Called when a generation serves, with what made it start; '' for the first one. */
  readonly onServing: (opened: Opened, reason: string, ms: number) => void
  readonly say: (text: string) => void
  /** Asks the person until `dropped`; null where there is no terminal. */
  readonly ask: ((question: Question, dropped: Promise<void>) => Promise<string | null>) | null
}

/** Why the next generation starts. */
interface Trigger {
  readonly reason: string
  /** Whether the store is emptied. */
  readonly reset: boolean
  /** When it was noticed. */
  readonly at: number
}

/** After this long without an answer, the person is told what may be the cause. */
const longLoadMs = 5_000
/** A generation that ends sooner than this would end again, so the next one waits for a change. */
const healthyMs = 5_000
/** How long processes may take to end before they are killed. */
const endMs = 1_500

/** Starts a generation for every change of the declaration's files, and leads connections to the last one without mistakes. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #watcher = new FileWatcher((paths, at) =>
    this.#request({ reason: changedText(paths), reset: false, at }),
  )
  readonly #living = new Set<Generation>()
  /** The next generation, which loads the engine before it is needed. */
  #spare = this.#start()
  #serving: Generation | null = null
  /** Whether connections wait because the store is being changed. */
  #isHeld = false
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
      await this.#next(trigger)
    }
  }

  /** Empties the store, and starts the API again. */
  reset(): void {
    this.#request({ reason: 'Reset', reset: true, at: performance.now() })
  }

  /** Prints the last statement of a request, with its plan. */
  async explain(): Promise<void> {
    const reply = await this.#serving?.ask('explain')
    if (reply?.refused !== null) this.#options.say(reply?.refused ?? 'Nothing is served yet.')
  }

  /** Resolves when every process has ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake()
    this.#watcher.close()
    for (const generation of this.#living) generation.end()
    const timer = setTimeout(() => this.kill(), endMs)
    await Promise.all([...this.#living].map(({ ended }) => ended))
    clearTimeout(timer)
  }

  /** Ends every process at once. */
  kill(): void {
    for (const generation of this.#living) generation.kill()
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

  #start(): Generation {
    const generation = new Generation()
    this.#living.add(generation)
    void generation.ended.then(() => this.#living.delete(generation))
    return generation
  }

  /** Serves the declaration as it is now, unless it has mistakes or changes again before it is imported. */
  async #next(trigger: Trigger): Promise<void> {
    const next = this.#spare
    this.#askedMs = 0
    this.#watcher.rebase()
    const loaded = await this.#load(next)
    if (loaded?.refused === null) {
      this.#watcher.followOnly(loaded.files ?? [])
      const { refused, opened } = await this.#open(next, trigger.reset)
      if (opened) {
        const ms = performance.now() - trigger.at - this.#askedMs
        await this.#switchTo(next)
        this.#options.onServing(opened, trigger.reason, ms)
      } else if (this.#requested && !trigger.reset) {
        // A question was dropped, because the declaration changed again: what holds now is said after that.
        next.end()
      } else this.#refuse(next, trigger.reason, refused)
    } else if (loaded) {
      // What was not imported because of the mistake may have to be changed to correct it.
      this.#watcher.follow(loaded.files ?? [])
      this.#refuse(next, trigger.reason, loaded.refused)
    } else {
      next.kill()
      if (trigger.reset) this.reset()
    }
    if (!this.#stopping) this.#spare = this.#start()
  }

  /** Null when something else was requested before the declaration was imported and compiled. */
  async #load(next: Generation): Promise<Reply | null> {
    const { place, url, say } = this.#options
    const timer = setTimeout(() => say(longLoad), longLoadMs)
    const loading = next.load({ place, url })
    await Promise.race([loading, this.#whenRequested()])
    clearTimeout(timer)
    return this.#requested || this.#stopping ? null : loading
  }

  /**
   * Where the store is changed, the old generation stops before that, and connections wait. It goes on where the change fails, and while a
   * question is open: rows that were written since the first one was answered may make a second one necessary.
   */
  async #open(next: Generation, reset: boolean): Promise<Reply> {
    const { ask } = this.#options
    const reply = await next.open(
      { reset, asks: ask !== null, alone: this.#serving === null },
      async (question) => {
        if (question) return this.#ask(question)
        await this.#hold()
        return null
      },
    )
    if (!reply.opened) await this.#resume()
    return reply
  }

  /** Asks the person. Requests are answered meanwhile: by the old generation, else with the question. */
  async #ask(question: Question): Promise<string | null> {
    const { ask, door } = this.#options
    await this.#resume()
    if (!this.#serving) door.refuse(`${question.text}\nAnswer in the terminal of nounkit dev.`)
    const since = performance.now()
    const answer = (await ask?.(question, this.#whenRequested())) ?? null
    this.#askedMs += performance.now() - since
    if (!this.#serving) door.hold()
    return answer
  }

  async #hold(): Promise<void> {
    this.#isHeld = true
    this.#options.door.hold()
    await this.#serving?.ask('drain')
  }

  /** The old generation serves again after `#hold`. */
  async #resume(): Promise<void> {
    const old = this.#serving
    if (!this.#isHeld || !old) return
    this.#isHeld = false
    const { refused } = await old.ask('resume')
    if (refused === null) this.#options.door.leadTo(old)
    else this.#serving = null
  }

  /** Resolves when the old generation answers no more, but for requests that take long. */
  async #switchTo(next: Generation): Promise<void> {
    const since = performance.now()
    const old = this.#serving
    this.#serving = next
    this.#isHeld = false
    this.#options.door.leadTo(next)
    void next.ended.then((ending) => this.#onEnd(next, ending, performance.now() - since))
    await old?.ask('drain')
    old?.retire()
  }

  #refuse(next: Generation, reason: string, refused: string | null): void {
    if (this.#stopping) return
    const text = refused ?? ''
    const { say, door } = this.#options
    next.end()
    const state = this.#serving ? 'The API answers as before' : 'Nothing is served yet'
    say([...(reason === '' ? [] : [reason]), text, `${state}. Waiting for a change.`].join('\n'))
    if (!this.#serving) door.refuse(text)
  }

  /** The declaration's own code may end its process: by `process.exit`, or by an error that nothing catches. */
  #onEnd(generation: Generation, { code, signal }: Ending, livedMs: number): void {
    if (this.#serving !== generation || this.#stopping) return
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
