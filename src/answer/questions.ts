import type { Call } from '../call/call.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import { isJsonObject } from '../compile/schemas/canonical.ts'
import type { AnswerName } from '../declare/answers.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import { typeInWords } from '../write/hook-values.ts'
import { newId } from '../write/ids.ts'
import { ruleDecision } from '../write/judge.ts'
import type { NewJob } from '../write/new-job.ts'
import { passingRows } from '../write/passing-rows.ts'
import { CodeContext, type CodeQuestion } from './answer-context.ts'
import type { Answering } from './answering.ts'
import type { AskedList } from './asked-list.ts'
import { givenRow, wrongAnswer } from './given-rows.ts'
import { HandedOver, handOver } from './handed-over.ts'

/** Asks the code of a noun, and gives its rows as they would be stored. */
export class Questions {
  readonly #answering: Answering
  readonly #call: Call

  /** `call` says who asks, and in which version. */
  constructor(answering: Answering, call: Call) {
    this.#answering = answering
    this.#call = call
  }

  /** The row of an id; null where there is none, or the caller may not read it. */
  async get(resource: Resource, id: string): Promise<StoredRow | null> {
    const asking = this.#asking(resource, 'get', null)
    const given = await this.#run(asking, id)
    await this.#handOver(asking)
    if (given === null) return null
    const row = givenRow(asking, given, () => id)
    if (row.id !== id) throw wrongAnswer(asking, 'the row has another id than the one that was asked for.')
    return (await this.#readable(resource, [row]))[0] ?? null
  }

  /** The rows that the caller may read, and where the next page begins. More rows than `most` are a mistake. */
  async list(resource: Resource, asked: AskedList, most: number): Promise<ListAnswer> {
    const asking = this.#asking(resource, 'list', null)
    const { rows, next } = readPage(asking, await this.#run(asking, asked), most)
    await this.#handOver(asking)
    const whole = rows.map((row) =>
      givenRow(asking, row, () => (resource.answered?.get ? null : this.#newId(resource))),
    )
    return { rows: await this.#readable(resource, whole), next }
  }

  /** The new row, and the jobs that are to be written with its answer. */
  async create(
    resource: Resource,
    input: StoredRow,
    idempotencyKey: string | null,
  ): Promise<{ readonly row: StoredRow; readonly jobs: readonly NewJob[] }> {
    const asking = this.#asking(resource, 'create', idempotencyKey)
    const row = givenRow(asking, await this.#run(asking, input), () => this.#newId(resource))
    return { row, jobs: await asking.handed.all() }
  }

  #asking(resource: Resource, name: AnswerName, idempotencyKey: string | null): CodeQuestion {
    const { writer } = this.#answering
    return { writer, call: this.#call, resource, name, idempotencyKey, handed: new HandedOver() }
  }

  #run(asking: CodeQuestion, asked: unknown): Promise<unknown> {
    const { resource, name } = asking
    const context = (signal: AbortSignal) => new CodeContext(asking, signal)
    const { caller } = this.#call
    return this.#answering.places.run({ caller, resource, name, asked, context })
  }

  #handOver({ handed }: CodeQuestion): Maybe<void> {
    const { account } = this.#call.caller
    return whenThere(handed.all(), (jobs) => handOver(this.#answering.writer, account, jobs))
  }

  #readable(resource: Resource, rows: readonly StoredRow[]): Maybe<readonly StoredRow[]> {
    const { caller } = this.#call
    const decision = ruleDecision({ caller }, resource, 'read')
    if (decision === true || rows.length === 0) return rows
    if (decision === false) return []
    return passingRows(this.#answering.writer, caller, resource, decision, rows).then((passing) => {
      const indexes = new Set(passing)
      return rows.filter((_, index) => indexes.has(index))
    })
  }

  #newId({ idPrefix }: Resource): string {
    return idPrefix + newId(this.#answering.writer.now())
  }
}

export interface ListAnswer {
  readonly rows: readonly StoredRow[]
  readonly next: string | null
}

const longestNext = 1_000

/** The rows are counted before any of them is looked at: code may give millions. */
function readPage(
  asking: CodeQuestion,
  given: unknown,
  most: number,
): { readonly rows: readonly unknown[]; readonly next: string | null } {
  const mistake = (what: string) => wrongAnswer(asking, what)
  if (!isJsonObject(given)) throw mistake(`it must give { rows, next }, and gave ${typeInWords(given)}.`)
  const { rows, next = null, ...others } = given as { rows: unknown; next?: unknown }
  if (!Array.isArray(rows)) throw mistake(`"rows" must be a list, and is ${typeInWords(rows)}.`)
  const [other] = Object.keys(others)
  if (other !== undefined) throw mistake(`"${other.slice(0, 100)}" is neither rows nor next.`)
  if (rows.length > most) throw mistake(`it gave ${rows.length} rows, and at most ${most} were asked for.`)
  if (next === null) return { rows, next }
  if (typeof next === 'string' && next.length >= 1 && next.length <= longestNext) return { rows, next }
  throw mistake(`"next" must be a text of 1 to ${longestNext} characters, or null.`)
}
