const width = 30
const everyMs = 100

export interface Progress {
  /** `done` of `total`; without a total only the label is shown. */
  show(label: string, done?: number, total?: number): void
  end(): void
}

/** A line on standard error that is drawn again and again. Nothing is drawn where that is no terminal. */
export function openProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'> = process.stderr,
): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  let drawnAt = Number.NEGATIVE_INFINITY
  let line = ''
  let later: NodeJS.Timeout | undefined
  const draw = () => {
    clearTimeout(later)
    later = undefined
    drawnAt = performance.now()
    // A line that wraps could not be drawn over.
    stream.write(`\r\x1b[K${line.slice(0, (stream.columns ?? 80) - 1)}`)
  }
  return {
    show(label, done = 0, total = 0) {
      const full = total > 0 ? Math.floor((Math.min(done, total) / total) * width) : 0
      const bar = total > 0 ? `${'█'.repeat(full)}${'░'.repeat(width - full)} ` : ''
      line = `${bar}${label}`
      if (performance.now() - drawnAt >= everyMs) draw()
      else later ??= setTimeout(draw, everyMs).unref()
    },
    end() {
      clearTimeout(later)
      if (line !== '') stream.write('\r\x1b[K')
      line = ''
      later = undefined
    },
  }
}
