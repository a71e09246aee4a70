const longestNear = 100

/** The word of `words` that `word` was most likely meant to be, or null when none is near. */
export const nearest = (word: string, words: Iterable<string>): string | null => {
  // A word of a request may be as long as a URL; so long a word is near no declared name.
  if (word.length > longestNear) return null
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const lower = word.toLowerCase()
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) > allowed) continue
    const distance = editDistance(lower, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return bestDistance <= allowed ? best : null
}

/** `Did you mean "customer"?`, or the list of valid words. */
export const didYouMean = (word: string, words: Iterable<string>): string => {
  const all = [...words]
  const near = nearest(word, all)
  if (near !== null) return `Did you mean "${near}"?`
  return all.length === 0
    ? 'There is none to choose from.'
    : `There is ${all.map((w) => `"${w}"`).join(', ')}.`
}

/** Whether two words differ by one letter, or by two that are swapped. Words that differ by a number are meant to. */
export const isOneLetterOff = (one: string, other: string): boolean =>
  editDistance(one, other) === 1 && one.replace(/\d/g, '') !== other.replace(/\d/g, '')

/** Insertions, deletions, replacements and swaps of neighbours, each counted once. */
const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
