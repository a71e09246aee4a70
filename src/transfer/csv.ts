/**
 * The cells of a record of RFC 4180, without its last line break. Null stands for a cell that is empty and not quoted: it says nothing,
 * whereas `""` is an empty text. Returns a sentence where the record is not well-formed.
 */
export function csvCells(record: string): readonly (string | null)[] | string {
  const cells: (string | null)[] = []
  for (let at = 0; ; ) {
    if (record[at] !== '"') {
      const end = record.indexOf(',', at)
      const cell = end < 0 ? record.slice(at) : record.slice(at, end)
      if (cell.includes('"')) return `cell ${cells.length + 1} has a quote, and does not begin with one`
      cells.push(cell === '' ? null : cell)
      if (end < 0) return cells
      at = end + 1
      continue
    }
    const end = closingQuote(record, at + 1)
    if (end < 0) return `the quote that begins cell ${cells.length + 1} is never closed`
    cells.push(record.slice(at + 1, end).replaceAll('""', '"'))
    if (end + 1 === record.length) return cells
    if (record[end + 1] !== ',') return `cell ${cells.length} goes on after its closing quote`
    at = end + 2
  }
}

/** Two quotes stand for one. */
function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf('"', from); at >= 0; at = record.indexOf('"', at + 2))
    if (record[at + 1] !== '"') return at
  return -1
}

/** A quoted cell may have line breaks: after an odd number of quotes the record goes on in the next line. */
export const hasOddQuotes = (text: string): boolean => {
  let quotes = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++
  return quotes % 2 === 1
}
