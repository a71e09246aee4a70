import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './databases.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A user's project with this api.ts, where `nounkit` and `zod` resolve as if they had been installed. */
export function declarationFolder(api: string): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'nounkit'))
  symlinkSync(join(root, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'api.ts'), api)
  return folder
}

export interface LibraryOptions {
  /** Fields of books besides the title, as source. */
  readonly fields?: string
  /** More of the API, as source. */
  readonly more?: string
}

/** The source of a small API. A title such as `400 ms` takes that long to create, and says when it has begun. */
export const librarySource = ({ fields = '', more = '' }: LibraryOptions = {}): string => `
import { setTimeout as sleep } from 'node:timers/promises'
import { api, resource } from 'nounkit'
import { z } from 'zod'

const books = resource('books', {
  fields: { title: z.string().max(100), ${fields} },
  hooks: {
    async beforeCreate({ title }) {
      if (!title.endsWith(' ms')) return
      console.log('creating ' + title)
      await sleep(Number.parseInt(title))
    },
  },
})
export default api('library', { title: 'The library', resources: [books], ${more} })
`
