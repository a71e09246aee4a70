import { ident } from '../../plan/dialect.ts'
import type { Store } from '../../store/store.ts'

/** SQLite before 3.53 could only copy the table. There the column stays as it is, and every process goes on showing what stands for no value. */
export async function canRequire(store: Pick<Store, 'first'>): Promise<boolean> {
  const [version] = (await store.first('SELECT sqlite_version()', [])) ?? []
  const [major = 0, minor = 0] = String(version).split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 53)
}

/** Makes a column NOT NULL whose rows all have a value. `demand` is called under the lock, and throws where a process may leave it out. */
export async function requireOnSqlite(store: Store, key: string, demand: () => Promise<void>): Promise<void> {
  const [table = '', column = ''] = key.split('.')
  await store.session(async (session) => {
    await session.script('BEGIN IMMEDIATE')
    try {
      await demand()
      await session.script(`ALTER TABLE ${ident(table)} ALTER COLUMN ${ident(column)} SET NOT NULL`)
      await session.script('COMMIT')
    } catch (error) {
      await session.script('ROLLBACK')
      throw error
    }
  })
}
