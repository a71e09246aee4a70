const stepMs = 250

/**
 * Calls `passed` once this process could have heard an answer for so long, unless the returned function is called before. While a process is
 * stopped or busy, its timers run out first and what has arrived is read afterwards. So a pause counts as one step, however long it was.
 */
export function afterListening(ms: number, passed: () => void): () => void {
  let left = Math.ceil(ms / stepMs)
  const timer = setInterval(() => {
    if (--left > 0) return
    clearInterval(timer)
    passed()
  }, stepMs)
  return () => clearInterval(timer)
}
