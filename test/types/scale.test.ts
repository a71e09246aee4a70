import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'nounkit-types-'))
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Each resource has ten fields and five relations: to the one declared before it, and by name to others, in both directions. */
const declarationOf = (count: number): string => {
  const names = Array.from({ length: count }, (_, index) => `r${index}`)
  const nameOf = (index: number): string => `thing-${(index + count) % count}s`
  const resources = names.map(
    (name, index) => `const ${name} = resource('${nameOf(index)}', {
      fields: {
        name: z.string().max(200), email: z.email(), count: z.int().min(0).default(0),
        kind: z.enum(['a', 'b', 'c']), tags: z.array(z.string()).optional(), on: z.iso.date(),
        note: z.string().optional(), done: z.boolean().default(false),
        status: states('open', { open: ['closed'] }), total: sum('children', 'count'),
      },
      relations: {
        parent: belongsTo(${index === 0 ? `'${nameOf(0)}', { optional: true }` : names[index - 1]}),
        first: belongsTo('${nameOf(0)}'), next: belongsTo('${nameOf(index + 1)}', { optional: true }),
        children: hasMany('${nameOf(index + 1)}', { by: 'parent' }),
        nexts: hasMany('${nameOf(index - 1)}', { by: 'next' }),
      },
      unique: ['email', ['parent_id', 'name']],
      filter: ['name', 'status', 'parent_id', 'created_at'],
      sort: ['name', 'total', 'created_at'],
      include: ['parent', 'parent.first', 'first', 'children', 'children.next', 'nexts'],
      onlyWhile: { parent: { status: ['open'] } },
      deleteOnlyWhile: { status: ['open'], kind: ['a', 'b'] },
      hooks: {
        async beforeCreate(row, { find, list, sum, update }) {
          const parent = await find('${nameOf(Math.max(index - 1, 0))}', row.parent_id ?? '')
          const same = await list('${nameOf(index)}', { kind: row.kind, status: 'open' })
          await update('${nameOf(index + 1)}', row.id, { done: true })
          const count = await sum('${nameOf(index)}', 'count', { parent_id: row.parent_id })
          return { name: row.name + (parent?.name ?? '') + same.length, count }
        },
      },
    })`,
  )
  return `import { z } from 'zod'
    import { api, belongsTo, hasMany, resource, states, sum } from '${join(root, 'src/index.ts')}'
    ${resources.join('\n')}
    export default api('big', { resources: [${names}] })`
}

/** How much work the types are: a count of the compiler's own, the same on every machine. */
const instantiationsOf = (count: number): number => {
  const file = join(folder, `of-${count}.ts`)
  writeFileSync(file, declarationOf(count))
  return instantiationsIn(file)
}

/**
 * How much of it an editor does again after each change in a consumer's file: it checks that file, and of the declaration only what the
 * types of the client are made of.
 */
const instantiationsOfUse = (count: number): number => {
  writeFileSync(join(folder, `declared-${count}.ts`), `// @ts-nocheck\n${declarationOf(count)}`)
  const file = join(folder, `use-${count}.ts`)
  writeFileSync(
    file,
    `import { client } from '${join(root, 'src/client/nounkit-client.ts')}'
    import type big from './declared-${count}.ts'
    const api = client<typeof big>({ url: '' })
    export const name = api.thing_1s.get('1', { include: ['parent.first'] }).then(({ parent }) => parent.first.name)`,
  )
  return instantiationsIn(file)
}

const instantiationsIn = (file: string): number => {
  const told = execFileSync(
    join(root, 'node_modules/.bin/tsc'),
    [
      ...[
        '--ignoreConfig',
        '--noEmit',
        '--checkers',
        '1',
        '--extendedDiagnostics',
        '--strict',
        '--skipLibCheck',
      ],
      ...['--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'],
      file,
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  return Number(/Instantiations:\s+(\d+)/.exec(told)?.[1])
}

test('types stay flat: each of a hundred resources costs the editor little', () => {
  const perResource = (instantiationsOf(52) - instantiationsOf(2)) / 50
  expect(perResource).toBeGreaterThan(0)
  expect(perResource).toBeLessThan(4300)
})

test('a completion in a consumer of a hundred resources costs little for each of them', () => {
  const perResource = (instantiationsOfUse(52) - instantiationsOfUse(2)) / 50
  expect(perResource).toBeGreaterThan(0)
  expect(perResource).toBeLessThan(4900)
})

test('types of fields compare no schema with a class of Zod', () => {
  // For one of them the compiler makes 30,000 types, those of all its methods, after each change in an editor.
  for (const part of ['src/declare', 'src/client'])
    for (const name of readdirSync(join(root, part)))
      expect(readFileSync(join(root, part, name), 'utf8'), name).not.toMatch(/extends z\.Zod(?!Type)/)
})
