import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'nounkit-types-'))
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

const declarationOf = (count: number): string => {
  const names = Array.from({ length: count }, (_, index) => `r${index}`)
  const resources = names.map(
    (name, index) => `const ${name} = resource('thing-${index}s', {
      fields: {
        name: z.string().max(200), email: z.email(), count: z.int().min(0).default(0),
        kind: z.enum(['a', 'b', 'c']), tags: z.array(z.string()).optional(),
        status: states('open', { open: ['closed'] }),
      },
      relations: { parent: belongsTo('thing-0s'), children: hasMany('thing-1s') },
      filter: ['name'], include: ['parent'],
      hooks: { beforeCreate: (row) => ({ name: row.name + row.parent_id + row.status }) },
    })`,
  )
  return `import { z } from 'zod'
    import { api, belongsTo, hasMany, resource, states } from '${join(root, 'src/index.ts')}'
    ${resources.join('\n')}
    export default api('big', { resources: [${names}] })`
}

/** How much work the types are: a count of the compiler's own, the same on every machine. */
const instantiationsOf = (count: number): number => {
  const file = join(folder, `of-${count}.ts`)
  writeFileSync(file, declarationOf(count))
  const told = execFileSync(
    join(root, 'node_modules/.bin/tsc'),
    [
      ...['--ignoreConfig', '--noEmit', '--extendedDiagnostics', '--strict', '--skipLibCheck'],
      ...['--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'],
      file,
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  return Number(/Instantiations:\s+(\d+)/.exec(told)?.[1])
}

test('types stay flat: each of a hundred resources costs the editor next to nothing', () => {
  const perResource = (instantiationsOf(101) - instantiationsOf(1)) / 100
  expect(perResource).toBeGreaterThan(0)
  expect(perResource).toBeLessThan(1000)
})
