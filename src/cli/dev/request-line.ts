import { styleText } from 'node:util'
import type { AccessLog } from '../../serve/access-log.ts'
import type { StatementWatch } from './watched-store.ts'

/** A line for each request: `POST /v1/tasks  201  3.2 ms  2 statements`. */
export const requestLines =
  (statements: StatementWatch, print: (line: string) => void): AccessLog =>
  (request, { status }, note, ms) => {
    const { method, path, query } = request
    const count = statements.countOf(request)
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
