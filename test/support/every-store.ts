import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolder } from './memory-folder.ts'
import { createDatabase, type TestDatabase } from './postgres-server.ts'

const createFile = async (): Promise<TestDatabase> => {
  const folder = memoryFolder('nounkit-sqlite-')
  return {
    url: `sqlite:${join(folder, 'test.db')}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** For `describe.each`: the store's name, and an empty one of it. */
export const onEveryStore: [string, () => Promise<TestDatabase>][] = [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
]
