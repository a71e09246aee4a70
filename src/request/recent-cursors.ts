const places = 256
/** Nearly all are shorter. A place must not hold as much as a text that somebody sorts by may have. */
const mostLength = 1_024

interface Known {
  readonly cursor: string
  /** The position that it seals, as JSON. */
  readonly position: string
  /** All that it is bound to. */
  readonly bound: string
}

/**
 * Cursors that were sealed or opened just now, so that neither need be worked out again: the next page is mostly asked for
 * soon after the last, and first pages again and again. Each has one place by its cursor and one by its position, and makes
 * room for the next that falls there.
 */
export class RecentCursors {
  readonly #byCursor: (Known | undefined)[] = Array(places).fill(undefined)
  readonly #byPosition: (Known | undefined)[] = Array(places).fill(undefined)

  /** The cursor for a position. */
  sealed(position: string, bound: string): string | null {
    const known = this.#byPosition[placeAtEnd(position)]
    return known && known.position === position && known.bound === bound ? known.cursor : null
  }

  /** What a cursor seals; null for one that is not known to be ours, or was made for something else. */
  opened(cursor: string, bound: string): string | null {
    const known = this.#byCursor[placeAtStart(cursor)]
    return known && known.bound === bound && known.cursor === cursor ? known.position : null
  }

  keep(cursor: string, position: string, bound: string): void {
    if (cursor.length + bound.length > mostLength) return
    const known: Known = { cursor: copyOf(cursor), position: copyOf(position), bound: copyOf(bound) }
    this.#byCursor[placeAtStart(cursor)] = known
    this.#byPosition[placeAtEnd(position)] = known
  }
}

/** A text that was cut out of another keeps all of that in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString()

/** A cursor begins with its seal, which is as good as random. */
const placeAtStart = (cursor: string): number =>
  ((cursor.charCodeAt(0) << 4) ^ cursor.charCodeAt(1) ^ (cursor.charCodeAt(2) << 2)) & (places - 1)

/** Positions end with an id, a quote and a bracket. */
const placeAtEnd = (position: string): number => {
  const last = position.length - 3
  return (
    ((position.charCodeAt(last) << 4) ^
      position.charCodeAt(last - 1) ^
      (position.charCodeAt(last - 2) << 2)) &
    (places - 1)
  )
}
