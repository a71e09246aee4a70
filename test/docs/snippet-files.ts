import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { whenOver } from '../support/clean-up.ts'
import { type Block, markOf, root } from './markdown.ts'

/** Within the project, where `nounkit` and `zod` are found as an example finds them; a name that git does not look at. */
const folder = join(root, '.nounkit', `docs-${process.pid}`)

/** Writes a block to a file of its own: under the name it has in its document, or under its line. */
export function snippetFile(block: Block): string {
  const inFolder = join(folder, block.file.replaceAll(/\W/g, '-'))
  mkdirSync(inFolder, { recursive: true })
  whenOver(() => rmSync(inFolder, { recursive: true, force: true }))
  const path = join(inFolder, markOf(block, 'file') ?? `line-${block.line}.ts`)
  writeFileSync(path, block.text)
  return path
}
