import cluster from 'node:cluster'

/** Resolves at the first signal to end, or at one of `others`. A second one exits at once. */
export function signalled(...others: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const stop = () => {
      if (asked) process.exit(130)
      asked = true
      resolve()
    }
    for (const signal of ['SIGTERM', ...others] as const) process.on(signal, stop)
    // Ctrl-C in a terminal reaches the workers too, which wait for the primary's SIGTERM.
    process.on('SIGINT', cluster.isWorker ? () => {} : stop)
  })
}
