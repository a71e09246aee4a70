import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import { allDocs, type Block, blocksOf, markOf, place, root } from './markdown.ts'
import { snippetFile } from './snippet-files.ts'

const snippets = allDocs().flatMap((file) => blocksOf(file).filter((block) => block.language === 'ts'))
const declarations = snippets.filter((block) => block.marks.includes('compile'))

describe('a declaration shown in the documents', () => {
  test.each(declarations.map((block) => [place(block), block] as const))('%s compiles', async (_, block) => {
    const { default: declaration } = await import(/* @vite-ignore */ pathToFileURL(snippetFile(block)).href)
    expect(compileApi(declaration).resources.size).toBeGreaterThan(0)
  })

  test('is never left unmarked: every TypeScript block is compiled, or written to a file and run', () => {
    const known = (block: Block) => block.marks.includes('compile') || markOf(block, 'file') !== null
    expect(snippets.filter((block) => !known(block)).map(place)).toEqual([])
  })
})

test('all TypeScript in the documents has sound types', () => {
  // Of a file that a document shows several times, the last form is looked at.
  const files = [...new Set(snippets.map(snippetFile))]
  const config = join(dirname(dirname(files[0] ?? '')), 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), files, include: [] }))
  const { status, stdout } = spawnSync('tsc', ['--noEmit', '-p', config], { cwd: root, encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})
