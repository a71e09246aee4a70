import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A fenced block: ```` ```ts file=api.ts ```` has the language `ts` and the mark `file=api.ts`. */
export interface Block {
  readonly file: string
  readonly line: number
  readonly language: string
  readonly marks: readonly string[]
  readonly text: string
}

export const readDoc = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Every Markdown file that is ours, relative to the root. */
export function allDocs(): readonly string[] {
  const at = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const top = readdirSync(root).filter((name) => name.endsWith('.md'))
  return [...top, ...at('docs'), ...at('decisions'), ...at('examples')].sort()
}

export function blocksOf(file: string): readonly Block[] {
  const lines = readDoc(file).split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const open = /^( *)```(\S*) *(.*)$/.exec(lines[at] ?? '')
    if (!open) continue
    const [, indent = '', language = '', marks = ''] = open
    const end = lines.indexOf(`${indent}\`\`\``, at + 1)
    if (end < 0) throw new Error(`${file}:${at + 1}: a code block is never closed`)
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length))
    blocks.push({
      file,
      line: at + 1,
      language,
      marks: marks.split(' ').filter((mark) => mark !== ''),
      text: text.join('\n'),
    })
    at = end
  }
  return blocks
}

export const place = ({ file, line }: Block): string => `${file}:${line}`

/** The value of a mark such as `file=api.ts`. */
export const markOf = (block: Block, name: string): string | null =>
  block.marks.find((mark) => mark.startsWith(`${name}=`))?.slice(name.length + 1) ?? null

/** The cells of the first table below a heading, without its two head rows. */
export function tableBelow(file: string, heading: string): readonly (readonly string[])[] {
  const lines = readDoc(file).split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) throw new Error(`${file} has no heading "${heading}"`)
  const first = lines.findIndex((line, at) => at > start && line.startsWith('|'))
  const rows: string[][] = []
  for (let at = first + 2; lines[at]?.startsWith('|'); at++) {
    const cells = (lines[at] ?? '').slice(1, -1).split(/(?<!\\)\|/)
    rows.push(cells.map((cell) => cell.trim()))
  }
  return rows
}
