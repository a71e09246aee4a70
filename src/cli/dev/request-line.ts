import { styleText } from 'node:util'
import type { AccessLog } from '../../serve/access-log.ts'
import type { LastStatement } from './last-statement.ts'

/** A line for each request: `POST /v1/tasks  201  3.2 ms  2 statements`. */
export const requestLines =
  (last: LastStatement, print: (line: string) => void): AccessLog =>
  (request, { status }, note, ms) => {
    const { method, path, query } = request
    const { statements: count } = note
    if (count > 0) last.request = request
    const parts = [
      `${method} ${path}${query === '' ? '' : `?${query}`}`,
      styleText(colourOf(status), String(status)),
      `${ms.toFixed(1)} ms`,
      `${count} ${count === 1 ? 'statement' : 'statements'}`,
      ...(note.replayed ? ['replayed'] : []),
    ]
    print(parts.join('  '))
  }

const colourOf = (status: number) => (status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green')
