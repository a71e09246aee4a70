import { setTimeout as sleep } from 'node:timers/promises'
import type { SetClock } from '../support/set-clock.ts'

/** Does something while a process writes its counts again and again, as a serving one does every two seconds. */
export async function whileBeating<R>(
  clock: SetClock,
  beat: () => Promise<unknown>,
  work: () => Promise<R>,
): Promise<R> {
  let isDone = false
  const beats = async () => {
    while (!isDone) {
      clock.pass(1)
      await beat()
      await sleep(50)
    }
  }
  const beating = beats()
  try {
    return await work()
  } finally {
    isDone = true
    await beating
  }
}
