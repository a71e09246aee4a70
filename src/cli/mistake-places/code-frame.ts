/** A line and a column, from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

export function positionAt(text: string, at: number): TextPosition {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const linesAround = 2

/** The line of a position with those around it, and a mark below the column. */
export function codeFrame(text: string, { line, column }: TextPosition): string {
  const lines = text.split(/\r?\n/)
  const [from, to] = [Math.max(1, line - linesAround), Math.min(lines.length, line + linesAround)]
  const width = String(to).length
  const shown: string[] = []
  for (let number = from; number <= to; number++) {
    const code = lines[number - 1] ?? ''
    shown.push(`${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${code}`.trimEnd())
    if (number !== line) continue
    // Tabs are repeated, so that the mark stands below its character however wide they are shown.
    const indent = code.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')
    shown.push(`  ${' '.repeat(width)} | ${indent}^`)
  }
  return shown.join('\n')
}
