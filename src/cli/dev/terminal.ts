import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Question } from '../../migrate/decide/questions-to-people.ts'
import { askUntilClear } from '../typed-answer.ts'

/** What a letter does. */
export interface Letter {
  readonly letter: string
  readonly does: string
  run(): void
}

/**
 * Reads letters, each followed by Enter. Single key presses would need the terminal's raw mode, which a killed process leaves
 * behind, and in which Ctrl-C is a letter too.
 */
export class Terminal {
  #commands: readonly Letter[] = []
  readonly #say: (text: string) => void

  #answer: ((line: string | null) => void) | null = null

  constructor(input: Readable, say: (text: string) => void) {
    this.#say = say
    createInterface({ input, terminal: false }).on('line', (line) => this.#read(line.trim()))
  }

  obey(commands: readonly Letter[]): void {
    this.#commands = commands
  }

  get help(): string {
    return `Letters, each with Enter: ${this.#commands.map(({ letter, does }) => `${letter} ${does}`).join(', ')}`
  }

  /** Null where nothing shall change, and for a question that is dropped. */
  ask(question: Question, dropped: Promise<void>): Promise<string | null> {
    const quit = (): void => this.#commands.find(({ letter }) => letter === 'q')?.run()
    return askUntilClear(question, (text) => this.#line(text, dropped), quit)
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
