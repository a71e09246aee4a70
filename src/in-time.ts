/** What a promise gives, or `otherwise` where that takes longer. */
export async function inTime<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  const late = Promise.withResolvers<T>()
  const timer = setTimeout(late.resolve, Math.max(0, ms), otherwise)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
