import { Worker } from 'node:worker_threads'

/** How long this process may outlive its parent. */
const outliveMs = 2_000

/**
 * Kills this process soon after its parent's end. A thread of its own does that, because the declaration's code may keep the main
 * thread in an endless loop.
 */
export function endWithParent(parent: number): void {
  new Worker(`(${watchParent})(${parent}, ${outliveMs})`, { eval: true }).unref()
}

/** Runs in the thread, from its text. */
function watchParent(parent: number, ms: number): void {
  const isAlive = (): boolean => {
    try {
      return process.ppid === parent && process.kill(parent, 0)
    } catch {
      return false
    }
  }
  const timer = setInterval(() => {
    if (isAlive()) return
    clearInterval(timer)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms)
  }, 500)
}
