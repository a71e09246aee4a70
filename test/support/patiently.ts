import { setTimeout } from 'node:timers/promises'
import type { Answer } from './serving.ts'

/** A server on a busy machine may refuse calls for a while, with Retry-After. */
export async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await call()
  if (answer.status !== 503) return answer
  await setTimeout(Number(answer.headers.get('retry-after') ?? 1) * 1000)
  return patiently(call)
}
