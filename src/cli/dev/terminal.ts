import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Question } from '../../store/schema/follow/open-decisions.ts'

/** What a letter does. */
export interface Command {
  readonly letter: string
  readonly does: string
  run(): void
}

/**
 * Reads letters, each followed by Enter. Single key presses would need the terminal's raw mode, which a killed process leaves
 * behind, and in which Ctrl-C is a letter too.
 */
export class Terminal {
  #commands: readonly Command[] = []
  readonly #say: (text: string) => void

  #answer: ((line: string | null) => void) | null = null

  constructor(input: Readable, say: (text: string) => void) {
    this.#say = say
    createInterface({ input, terminal: false }).on('line', (line) => this.#read(line.trim()))
  }

  obey(commands: readonly Command[]): void {
    this.#commands = commands
  }

  get help(): string {
    return `Letters, each with Enter: ${this.#commands.map(({ letter, does }) => `${letter} ${does}`).join(', ')}`
  }

  /** The answer to a question that is dropped is null. Where there are choices, `q` quits; elsewhere it may be the answer. */
  async ask({ text, choices }: Question, dropped: Promise<void>): Promise<string | null> {
    const lines = choices.map(({ says }, at) => `  ${at + 1}) ${says}`)
    for (;;) {
      const typed = await this.#line([text, ...lines].join('\n'), dropped)
      if (typed === null || choices.length === 0) return typed
      const chosen = choices[Number(typed) - 1] ?? choices.find(({ value }) => value === typed)
      if (chosen) return chosen.value
      if (typed.toLowerCase() === 'q') {
        this.#commands.find(({ letter }) => letter === 'q')?.run()
        return null
      }
      this.#say(`Answer with a number from 1 to ${choices.length}, or quit with q.`)
    }
  }

  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.#line(`${question} [y/N]`, new Promise(() => {}))) ?? '')
  }

  /** The next line that is typed. */
  #line(question: string, dropped: Promise<void>): Promise<string | null> {
    this.#answer?.(null)
    this.#say(question)
    return new Promise((resolve) => {
      this.#answer = resolve
      void dropped.then(() => {
        if (this.#answer === resolve) this.#answer = null
        resolve(null)
      })
    })
  }

  #read(line: string): void {
    const answer = this.#answer
    this.#answer = null
    if (answer) return answer(line)
    if (line === '') return
    const command = this.#commands.find(({ letter }) => letter === line.toLowerCase())
    if (command) command.run()
    else this.#say(this.help)
  }
}
