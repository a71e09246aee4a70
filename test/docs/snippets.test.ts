import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import { allDocs, type Block, blocksOf, place, root } from './markdown.ts'

/** Within the project, so that `nounkit` and `zod` are found as an example finds them. */
const folder = join(root, 'node_modules/.cache/nounkit-docs', String(process.pid))
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const declarations = allDocs().flatMap((file) =>
  blocksOf(file).filter((block) => block.language === 'ts' && block.marks.includes('compile')),
)

async function importSnippet(block: Block): Promise<{ readonly default?: unknown }> {
  const path = join(folder, `${place(block).replaceAll(/\W/g, '-')}.ts`)
  writeFileSync(path, block.text)
  return import(/* @vite-ignore */ pathToFileURL(path).href)
}

describe('a declaration shown in the documents', () => {
  test.each(declarations.map((block) => [place(block), block] as const))('%s compiles', async (_, block) => {
    const { default: declaration } = await importSnippet(block)
    expect(compileApi(declaration as Parameters<typeof compileApi>[0]).resources.size).toBeGreaterThan(0)
  })

  test('is never left unmarked: every TypeScript block is compiled, written to a file, or type-checked', () => {
    const known = (block: Block) =>
      block.marks.some((mark) => ['compile', 'check'].includes(mark) || mark.startsWith('file='))
    const unmarked = allDocs().flatMap((file) =>
      blocksOf(file).filter((block) => block.language === 'ts' && !known(block)),
    )
    expect(unmarked.map(place)).toEqual([])
  })
})
