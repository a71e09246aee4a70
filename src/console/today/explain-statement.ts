import type { Store } from '../../store/store.ts'

/**
 * How the database would run a statement: the lines of its plan, or a sentence that says why there is none. The statement is not run. Nobody has
 * kept its values, so that the plan is that for any values.
 */
export async function explainStatement(store: Store, text: string): Promise<readonly string[] | string> {
  // A database takes several statements where it expects one, and the second would be run.
  if (text.includes(';')) return 'The text has a semicolon, so that it might be more than one statement.'
  const { before, ask, after } = store.dialect.explaining(text)
  try {
    return await store.session(async (session) => {
      try {
        for (const sql of before) await session.script(sql)
        return store.dialect.planLines(await session.all(ask))
      } finally {
        // After an error there may be nothing to take back.
        if (after !== '') await session.script(after).catch(() => {})
      }
    })
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}
