const width = 30
const everyMs = 100

export interface Progress {
  /** `done` of `total`; without a total only the label is shown. */
  show(label: string, done?: number, total?: number): void
  end(): void
}

/** A line on standard error that is drawn again and again. Nothing is drawn where that is no terminal. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  let drawnAt = 0
  let drawn = false
  return {
    show(label, done = 0, total = 0) {
      const now = performance.now()
      if (now - drawnAt < everyMs) return
      drawnAt = now
      drawn = true
      const full = total > 0 ? Math.floor((Math.min(done, total) / total) * width) : 0
      const bar = total > 0 ? `${'█'.repeat(full)}${'░'.repeat(width - full)} ` : ''
      stream.write(`\r\x1b[K${bar}${label}`)
    },
    end() {
      if (drawn) stream.write('\r\x1b[K')
      drawn = false
    },
  }
}
