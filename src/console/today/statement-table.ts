import { hash } from 'node:crypto'
import { html, type Markup, tableOr } from '../../pages/markup.ts'
import type { StatementTime } from '../../store/statement-times.ts'
import type { Visit } from '../console-page.ts'
import { milliseconds, wholeNumber } from './figures-shown.ts'

export const todayPath = '/console/today'

/** By which a page names a statement. */
export const statementId = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

export const statementTable = (visit: Visit, statements: readonly StatementTime[]): Markup =>
  tableOr(
    'None yet.',
    'Statements that took most time',
    [
      'Statement',
      { figure: 'Calls' },
      { figure: 'Mean' },
      { figure: 'Longest' },
      { figure: 'Together' },
      'Plan',
    ],
    statements.map((one) => statementRow(visit, one)),
  )

const statementRow = ({ link }: Visit, { text, calls, ms, longestMs }: StatementTime): Markup => {
  const id = statementId(text)
  return html`<tr><td><details id="sql-${id}"><summary><code>${shortened(text)}</code></summary><pre tabindex="0" class="wrapped"><code>${text}</code></pre></details></td><td class="figure">${wholeNumber(calls)}</td><td class="figure">${milliseconds(ms / calls)}</td><td class="figure">${milliseconds(longestMs)}</td><td class="figure">${milliseconds(ms)}</td><td><a href="${link(`${todayPath}/plan`, { statement: id })}" aria-label="Plan of ${shortened(text)}">Plan</a></td></tr>`
}

/** What is done, to which table: the rest of a statement is long. Reads call the table of their rows t1, and may name others before. */
const shortened = (text: string): string => {
  const verb = /\b(INSERT|UPDATE|DELETE)\b/.exec(text)?.[1] ?? 'SELECT'
  const name = /\bFROM "(\w+)" t1\b/.exec(text)?.[1] ?? /\b(?:FROM|INTO|UPDATE)\s+"(\w+)"/.exec(text)?.[1]
  return name === undefined ? text.slice(0, 40) : `${verb} ${name}`
}
