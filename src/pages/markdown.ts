import { escaped, html, type Markup, table, trusted } from './markup.ts'

/**
 * The subset of Markdown that our guides and descriptions use: headings, paragraphs, lists, tables, code. A library would render
 * more, such as raw HTML, which we would have to disable, and without the roles and labels that tables and code need here.
 */
export const renderMarkdown = (text: string): Markup => {
  const lines = text.split('\n')
  const blocks: Markup[] = []
  for (let at = 0; at < lines.length; ) {
    const { block, next } = readBlock(lines, at)
    if (block) blocks.push(block)
    at = next
  }
  return trusted(blocks.map((block) => block.text).join('\n'))
}

interface ReadBlock {
  readonly block: Markup | null
  readonly next: number
}

const readBlock = (lines: readonly string[], at: number): ReadBlock => {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { block: null, next: at + 1 }
  const heading = /^(#{1,4}) (.+)$/.exec(line)
  if (heading) return { block: headingOf(heading[1]?.length ?? 1, heading[2] ?? ''), next: at + 1 }
  if (line.startsWith('```')) return readCode(lines, at)
  if (line.startsWith('|')) return readWhile(lines, at, (one) => one.startsWith('|'), tableOf)
  if (line.startsWith('- ')) return readWhile(lines, at, (one) => one.startsWith('- '), listOf)
  return readWhile(lines, at, isProse, (some) => html`<p>${inline(some.join(' '))}</p>`)
}

const isProse = (line: string): boolean => line.trim() !== '' && !/^(#{1,4} |```|\||- )/.test(line)

const readWhile = (
  lines: readonly string[],
  at: number,
  belongs: (line: string) => boolean,
  render: (lines: readonly string[]) => Markup,
): ReadBlock => {
  let next = at
  while (next < lines.length && belongs(lines[next] ?? '')) next++
  return { block: render(lines.slice(at, next)), next }
}

const readCode = (lines: readonly string[], at: number): ReadBlock => {
  let end = at + 1
  while (end < lines.length && !(lines[end] ?? '').startsWith('```')) end++
  const text = lines.slice(at + 1, end).join('\n')
  // It can be scrolled with the keyboard.
  const block = html`<pre tabindex="0" role="region" aria-label="Example"><code>${text}</code></pre>`
  return { block, next: end + 1 }
}

const headingOf = (level: number, text: string): Markup => {
  const id = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return trusted(`<h${level} id="${id}">${inline(text).text}</h${level}>`)
}

const listOf = (lines: readonly string[]): Markup =>
  html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const tableOf = (lines: readonly string[]): Markup => {
  const [head = '', , ...rows] = lines
  const cells = (row: string) => cellsOf(row).map((cell) => html`<td>${inline(cell)}</td>`)
  return table(
    'Table',
    cellsOf(head).map(inline),
    rows.map((row) => html`<tr>${cells(row)}</tr>`),
  )
}

/** Inline Markdown. Code is split off first, so that nothing within it is read as Markdown. */
export const inline = (text: string): Markup => {
  const parts = text.split(/(`[^`]+`)/)
  return trusted(
    parts
      .map((part) => (/^`.+`$/.test(part) ? `<code>${escaped(part.slice(1, -1))}</code>` : emphasised(part)))
      .join(''),
  )
}

const emphasised = (text: string): string =>
  escaped(text)
    .replaceAll(/\[([^\]]+)\]\((\/[^)\s]*|https?:[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*]+)\*/g, '<em>$1</em>')
