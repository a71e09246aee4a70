import { fileURLToPath } from 'node:url'

/** A place in a file, from 1. */
export interface StackPosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The first place of a stack in a file that is wanted. */
export function stackPosition(stack: string, isWanted: (file: string) => boolean): StackPosition | null {
  const lines = stack.split('\n')
  for (const [index, line] of lines.entries()) {
    const found = lineOf(line)
    if (!found || !isWanted(found.file)) continue
    // An error of syntax begins with the file and line, then the code, then a mark below the column. Node puts the line before into the code.
    const [mark] = lines.slice(index + 2, index + 4).flatMap((one) => /^ *\^/.exec(one) ?? [])
    return mark ? { ...found, column: mark.length } : found
  }
  return null
}

function lineOf(text: string): StackPosition | null {
  const [, place = '', line = '', column = '1'] =
    /(file:\/\/[^()]+?|(?:\/|[A-Za-z]:\\)[^()]*?):(\d+)(?::(\d+))?\)?$/.exec(text.trim()) ?? []
  if (place === '') return null
  const file = place.startsWith('file:') ? fileURLToPath(place.split('?', 1)[0] ?? place) : place
  return { file, line: Number(line), column: Number(column) }
}
