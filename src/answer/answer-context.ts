import type { Call } from '../call/call.ts'
import type { Caller } from '../call/caller.ts'
import type { Resource } from '../compile/model.ts'
import type { AnswerName } from '../declare/answers.ts'
import type { Rejection } from '../declare/hooks.ts'
import type { Transaction } from '../store/store.ts'
import { rejected } from '../write/hook-context.ts'
import { hookNames } from '../write/hook-names.ts'
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

/** `AnswerContext` for resources of which nothing is known. What reads the store is made when the code first does. */
export function answerContext(asking: CodeQuestion, signal: AbortSignal): object {
  const { writer, call, resource, name, idempotencyKey, handed } = asking
  const { account, consumer, subject, claims, scopes } = call.caller
  const namesOf = once(() => hookNames(writer.model, resource, `answers.${name}`))
  const readsOf = once(() => hookReads({ writer, call, tx: readingStore(writer, call.caller) }, namesOf()))
  return {
    account,
    now: timeText(writer.now()),
    caller: { consumer: consumer.name, scopes: Object.freeze([...scopes]), subject, claims },
    idempotencyKey,
    signal,
    find: async (named: NamedResource, id: string, options = {}) =>
      readsOf().find(namesOf().resource('find', named), id, options),
    list: (...asked: Parameters<HookReads['list']>) => readsOf().list(...asked),
    count: (...asked: Parameters<HookReads['count']>) => readsOf().count(...asked),
    exists: (...asked: Parameters<HookReads['exists']>) => readsOf().exists(...asked),
    sum: (...asked: Parameters<HookReads['sum']>) => readsOf().sum(...asked),
    later: (...job: AskedJob) => handed.add(writer, job, namesOf().about),
    reject: (rejection: Rejection) => {
      throw rejected(rejection, namesOf().problem(rejection), call)
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

let lastTime = { ms: Number.NaN, text: '' }
const timeText = (ms: number) => {
  if (lastTime.ms !== ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}

/** The store as a transaction that never ends: each read stands alone. */
const readingStore = ({ store }: Writer, { account }: Caller): Transaction => ({
  dialect: store.dialect,
  first: (sql, values) => store.first(sql, values, account),
  all: (sql, values) => store.all(sql, values, account),
})
