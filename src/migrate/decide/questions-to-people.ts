/** Something that only a person knows. */
export interface Question {
  readonly kind: 'rename' | 'fill' | 'loss'
  /** One or more sentences, each on a line of its own. */
  readonly text: string
  /** The answers to choose from; none where any text is an answer. */
  readonly choices: readonly { readonly value: string; readonly says: string }[]
  /** Where there are no choices: whether a text that is also a command to the terminal may be the answer. */
  readonly takesAnyText?: boolean
}

/** Answers with the value of a choice, or a text; null where nothing shall change. */
export type Ask = (question: Question) => Promise<string | null>

/** What a person decides while no version is published. */
export interface Following {
  /** Asks a person. Without it, whatever must be decided is refused with a sentence that says how to decide it. */
  readonly ask?: Ask | undefined
  /** What would lose data is done without a question, and a field that may have been renamed is dropped. */
  readonly acceptDataLoss?: boolean
  /** `orders.note` → the value, as text, for rows that would have none. */
  readonly fill?: ReadonlyMap<string, string>
  /** The command that takes options such as `--fill`, where the running command takes none. */
  readonly optionsOf?: string
}

/** A question came up under the lock, because rows changed since the plan was made: the plan is made again. */
export class Undecided extends Error {}

/** Remembers answers, so that a plan that is made again asks nothing twice. */
export class Decisions {
  readonly #answers = new Map<string, string>()
  readonly #following: Following
  /** A person who gave no answer is asked nothing more: the plan is refused as where there is nobody to ask. */
  #declined = false
  /** No questions while the store is locked. */
  locked = false

  constructor(following: Following, asks: boolean) {
    this.#following = asks ? following : { ...following, ask: undefined }
  }

  get acceptsDataLoss(): boolean {
    return this.#following.acceptDataLoss === true
  }

  /** An option as a person types it: `--fill orders.note=VALUE`. */
  option(option: string): string {
    const { optionsOf } = this.#following
    return optionsOf === undefined ? option : `${optionsOf} ${option}`
  }

  fillOf(field: string): string | undefined {
    return this.#following.fill?.get(field) ?? this.#answers.get(`fill ${field}`)
  }

  /**
   * The answer; undefined where there is nobody to ask, and where the person gave no answer. Asks again while `faultOf` says what is wrong with
   * the answer.
   */
  async answer(
    subject: string,
    question: Question,
    faultOf: (answer: string) => string | null = () => null,
  ): Promise<string | undefined> {
    const key = `${question.kind} ${subject}`
    const known = this.#answers.get(key)
    const { ask } = this.#following
    if (known !== undefined || !ask || this.#declined) return known
    if (this.locked) throw new Undecided()
    for (let { text } = question; ; ) {
      const answer = await ask({ ...question, text })
      if (answer === null) {
        this.#declined = true
        return undefined
      }
      const fault = faultOf(answer)
      if (fault === null) {
        this.#answers.set(key, answer)
        return answer
      }
      text = `${fault}\n${question.text}`
    }
  }
}
