import type { Call } from '../call/call.ts'
import type { Caller } from '../call/caller.ts'
import type { Resource } from '../compile/model.ts'
import type { AnswerName } from '../declare/answers.ts'
import type { Rejection } from '../declare/hooks.ts'
import type { Transaction } from '../store/store.ts'
import { rejected } from '../write/hook-context.ts'
import { hookNames } from '../write/hook-names.ts'
import { hookReads, type NamedResource } from '../write/hook-reads.ts'
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

/** `AnswerContext` for resources of which nothing is known. */
export function answerContext(asking: CodeQuestion, signal: AbortSignal): object {
  const { writer, call, resource, name, idempotencyKey, handed } = asking
  const { account, consumer, subject, claims } = call.caller
  const names = hookNames(writer.model, resource, `answers.${name}`)
  const { find, ...reads } = hookReads({ writer, call, tx: readingStore(writer, call.caller) }, names)
  return {
    account,
    now: new Date(writer.now()).toISOString(),
    caller: { consumer: consumer.name, scopes: Object.freeze([...call.caller.scopes]), subject, claims },
    idempotencyKey,
    signal,
    find: async (named: NamedResource, id: string, options = {}) =>
      find(names.resource('find', named), id, options),
    ...reads,
    later: (...job: AskedJob) => handed.add(writer, job, names.about),
    reject: (rejection: Rejection) => {
      throw rejected(rejection, names.problem(rejection), call)
    },
  }
}

/** The store as a transaction that never ends: each read stands alone. */
const readingStore = ({ store }: Writer, { account }: Caller): Transaction => ({
  dialect: store.dialect,
  first: (sql, values) => store.first(sql, values, account),
  all: (sql, values) => store.all(sql, values, account),
})
