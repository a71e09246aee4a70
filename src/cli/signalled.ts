import cluster from 'node:cluster'

/** Resolves at the first signal to end. A second one exits at once. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const stop = () => {
      if (asked) process.exit(130)
      asked = true
      resolve()
    }
    process.on('SIGTERM', stop)
    // Ctrl-C in a terminal reaches the workers too, which wait for the primary's SIGTERM.
    process.on('SIGINT', cluster.isWorker ? () => {} : stop)
  })
}
