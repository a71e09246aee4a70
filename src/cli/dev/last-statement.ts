import type { PlainRequest } from '../../call/exchange.ts'
import type { Store, Write } from '../../store/store.ts'

/** The last statement that a request ran, and the last request that ran one. */
export interface LastStatement {
  statement: Write | null
  request: Pick<PlainRequest, 'method' | 'path'> | null
}

/** The last statement as text, with its values and the plan of the database. */
export async function explainLast({ statement, request }: LastStatement, store: Store): Promise<string> {
  if (!statement || !request) return 'No request has run a statement yet.'
  const { sql, values } = statement
  const plan = await store.all(`${store.dialect.explain} ${sql}`, values)
  return [
    `The last statement, of ${request.method} ${request.path}, for ${store.dialect.name}:`,
    sql,
    `Bound: ${values.map((value) => JSON.stringify(value)).join(', ') || 'nothing'}`,
    'Plan:',
    ...store.dialect.planLines(plan).map((line) => `  ${line}`),
  ].join('\n')
}
