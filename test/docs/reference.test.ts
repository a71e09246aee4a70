import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { settingNames } from '../../src/cli/setting-names.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { api } from '../../src/declare/api.ts'
import * as changes from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { settingVariables } from '../../src/server-settings.ts'
import { runHere } from '../cli/in-process.ts'
import { blocksOf, readDoc, root, tableBelow } from './markdown.ts'

const source = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Names in the first column of the tables below a heading, until the next heading of the same rank. */
const optionsBelow = (heading: string): readonly string[] =>
  tableBelow('docs/reference/declaration.md', heading).map(([name = '']) => name.replaceAll('`', ''))

/** What an interface declares, from its text: types are gone when a test runs. */
const optionsOf = (file: string, name: string): readonly string[] => {
  const body = new RegExp(`interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(source(file))?.[1] ?? ''
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option = '']) => option)
}

describe('the declaration reference lists every option', () => {
  test.each([
    ['## `api(name, options)`', 'src/declare/api.ts', 'ApiOptions'],
    ['## `resource(name, options)`', 'src/declare/resource.ts', 'ResourceOptions'],
    ['## `belongsTo(target, options)`', 'src/declare/relation.ts', 'BelongsToOptions'],
    ['## Tokens', 'src/declare/api.ts', 'TokenDeclaration'],
  ])('%s', (heading, file, name) => {
    expect([...optionsBelow(heading)].sort()).toEqual([...optionsOf(file, name)].sort())
  })

  test('and every limit, with its default and its greatest value', () => {
    const books = resource('books', { fields: {} })
    const { limits } = compileApi(api('library', { resources: [books] }))
    const greatest = (name: string): string => {
      try {
        compileApi(api('library', { resources: [books], limits: { [name]: 0 } }))
      } catch (error) {
        if (error instanceof Mistakes) return /from 1 to (\d+)/.exec(error.message)?.[1] ?? ''
        throw error
      }
      return ''
    }
    const expected = Object.entries(limits).map(([name, value]) => [
      `\`${name}\``,
      String(value),
      greatest(name),
    ])
    const shown = tableBelow('docs/reference/declaration.md', '## Limits').map((row) => row.slice(0, 3))
    expect(shown).toEqual(expected)
  })
})

test('the changes reference lists every change', () => {
  const shown = tableBelow('docs/reference/changes.md', '## Catalogue').map(([cell]) =>
    /^`(\w+)\(/.exec(cell ?? ''),
  )
  expect(shown.map((match) => match?.[1]).sort()).toEqual(Object.keys(changes).sort())
})

test('the command-line reference shows what nounkit help prints', async () => {
  const { stdout } = await runHere(['help'])
  const shown = blocksOf('docs/reference/cli.md').find((block) => block.marks.includes('help'))
  expect(shown?.text).toBe(stdout.trimEnd().replace(root, '…/nounkit/'))
})

test('the command-line reference has a part for every command', () => {
  const parts = [...readDoc('docs/reference/cli.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(parts).toEqual(Object.keys(commands))
})

test('the settings reference lists the environment variables that the source reads, and no other', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const texts = files.filter((file) => file.endsWith('.ts')).map((file) => source(join('src', file)))
  const asMember = /\benv(?:ironment)?\.([A-Z_]+)/g
  const byName = /'(NOUNKIT_[A-Z_]+)'/g
  const found = texts.flatMap((text) => [...text.matchAll(asMember), ...text.matchAll(byName)])
  const used = new Set(found.map(([, name]) => name))
  const rows = readDoc('docs/reference/settings.md').matchAll(/^\| (`[A-Z_]+`(?:, else `[A-Z_]+`)*) \|/gm)
  const shown = [...rows].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', else '))
  expect(shown.toSorted()).toEqual([...used].sort())
})

test('the reference of nounkit/server lists every setting of nounkit serve that has no place of its own there', () => {
  const rows = readDoc('docs/reference/server.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)
  const shown = [...rows].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))
  const camelCase = (name: string) =>
    name.toLowerCase().replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase())
  // `listen()` takes the port of the probes. A port of the console is one of the command alone.
  const wanted = settingNames.filter((name) => !['OPS_PORT', 'CONSOLE_PORT'].includes(name)).map(camelCase)
  expect(wanted.filter((name) => !shown.includes(name))).toEqual([])
  expect(Object.keys(settingVariables).filter((name) => !shown.includes(name))).toEqual([])
})
