import type { Call } from '../call/call.ts'
import type { Caller } from '../call/caller.ts'
import type { Resource } from '../compile/model.ts'
import type { AnswerName } from '../declare/answers.ts'
import type { Rejection, Seeing } from '../declare/hooks.ts'
import type { Transaction } from '../store/store.ts'
import { rejected } from '../write/hook-context.ts'
import { type HookNames, hookNames } from '../write/hook-names.ts'
import { type HookReads, hookReads, type NamedResource } from '../write/hook-reads.ts'
import type { Writer } from '../write/writer.ts'
import type { AskedJob, HandedOver } from './handed-over.ts'

/** Who asks the code of a noun, and for which version's words a refusal is. */
export interface CodeQuestion {
  readonly writer: Writer
  readonly call: Call
  readonly resource: Resource
  readonly name: AnswerName
  readonly idempotencyKey: string | null
  readonly handed: HandedOver
}

/** `AnswerContext` for resources of which nothing is known. What takes time and only some code uses is made when the code asks for it. */
export class CodeContext {
  readonly account: string
  readonly caller: object
  readonly idempotencyKey: string | null
  /** Aborts when the time of the answer is over. */
  readonly signal: AbortSignal
  readonly #asking: CodeQuestion
  readonly #at: number
  #names: HookNames | null = null
  #reads: HookReads | null = null

  constructor(asking: CodeQuestion, signal: AbortSignal) {
    const { account, consumer, subject, claims, scopes } = asking.call.caller
    this.account = account
    this.caller = { consumer: consumer.name, scopes: Object.freeze([...scopes]), subject, claims }
    this.idempotencyKey = asking.idempotencyKey
    this.signal = signal
    this.#asking = asking
    this.#at = asking.writer.now()
  }

  get now(): string {
    return new Date(this.#at).toISOString()
  }

  // Functions of the object, because code takes them out of it: `get(id, { find }) { … }`.
  readonly find = async (named: NamedResource, id: string, options: Seeing = {}) =>
    this.#readsOf().find(this.#namesOf().resource('find', named), id, options)
  readonly list = async (...asked: Parameters<HookReads['list']>) => this.#readsOf().list(...asked)
  readonly count = async (...asked: Parameters<HookReads['count']>) => this.#readsOf().count(...asked)
  readonly exists = async (...asked: Parameters<HookReads['exists']>) => this.#readsOf().exists(...asked)
  readonly sum = async (...asked: Parameters<HookReads['sum']>) => this.#readsOf().sum(...asked)
  readonly later = (...job: AskedJob) =>
    this.#asking.handed.add(this.#asking.writer, job, this.#namesOf().about)
  readonly reject = (rejection: Rejection): never => {
    throw rejected(rejection, this.#namesOf().problem(rejection), this.#asking.call)
  }

  #namesOf(): HookNames {
    const { writer, resource, name } = this.#asking
    this.#names ??= hookNames(writer.model, resource, `answers.${name}`)
    return this.#names
  }

  #readsOf(): HookReads {
    const { writer, call } = this.#asking
    this.#reads ??= hookReads({ writer, call, tx: readingStore(writer, call.caller) }, this.#namesOf())
    return this.#reads
  }
}

/** The store as a transaction that never ends: each read stands alone. */
const readingStore = ({ store }: Writer, { account }: Caller): Transaction => ({
  dialect: store.dialect,
  first: (sql, values) => store.first(sql, values, account),
  all: (sql, values) => store.all(sql, values, account),
})
