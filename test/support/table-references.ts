/** A table that a statement names, and the number of the parameter that says whose of its rows are meant. */
export interface TableReference {
  readonly table: string
  /** Counted from 1. Null where none is bound: the statement is for the rows of all. */
  readonly parameter: number | null
}

const parameter = String.raw`(?:\?|\$)(\d+)`
/** A table that is named, and its alias. */
const named = /\b(FROM|INTO|UPDATE|JOIN|USING) "(\w+)"(?: (?:AS )?([a-z]\w*)\b)?/g

/** Each table that a statement names. `spreadBy` gives the column that says whose the rows are, null for tables that have none. */
export function tableReferences(
  sql: string,
  spreadBy: (table: string) => string | null,
): readonly TableReference[] {
  return [...sql.matchAll(named)].flatMap((match) => {
    const [, verb, table = '', alias = ''] = match
    const column = spreadBy(table)
    if (column === null) return []
    const clause = ownClause(sql, match.index)
    const found = verb === 'INTO' ? insertedInto(clause, column) : [comparedWith(clause, column, alias)]
    return found.map((parameter) => ({ table, parameter }))
  })
}

/** A condition may name the alias; where it does not, one within brackets may be another table's. */
function comparedWith(clause: string, column: string, alias: string): number | null {
  const own = alias && new RegExp(String.raw`\b${alias}\."${column}" = ${parameter}`).exec(clause)
  const found = own || new RegExp(String.raw`(?<!\.)"${column}" = ${parameter}`).exec(withoutBrackets(clause))
  return found ? Number(found[1]) : null
}

/** The parameters that the column has in the rows that are inserted, or that of a query that binds it. */
function insertedInto(clause: string, column: string): readonly (number | null)[] {
  const [, columns = '', rest = ''] = /^INTO "\w+" \(([^()]*)\)(.*)$/s.exec(clause) ?? []
  const at = columns.split(', ').indexOf(`"${column}"`)
  const rows = /^ VALUES/.test(rest) ? rowsOf(rest) : [parts(/^ SELECT (.*)$/s.exec(rest)?.[1] ?? '')]
  return [...new Set(rows.map((row) => row[at] ?? ''))].map((inserted) => {
    const isSelected = inserted === `"${column}"`
    const selected = isSelected ? `"${column}" = ${parameter}` : `^${parameter}`
    const found = new RegExp(selected).exec(isSelected ? rest : inserted)
    return found ? Number(found[1]) : null
  })
}

/** `VALUES (…), (…)` as the values of each row. */
function rowsOf(values: string): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  for (let at = values.indexOf('('); values[at] === '('; ) {
    const row = ownClause(values, at + 1)
    rows.push(parts(row))
    at += row.length + 2
    if (values.slice(at, at + 2) === ', ') at += 2
  }
  return rows
}

/** What is separated by commas outside of brackets. */
function parts(list: string): readonly string[] {
  let [depth, from] = [0, 0]
  const found: string[] = []
  for (let at = 0; at <= list.length; at++) {
    if (list[at] === '(') depth++
    if (list[at] === ')') depth--
    if (at < list.length && (depth > 0 || list[at] !== ',')) continue
    found.push(list.slice(from, at).trim())
    from = at + 1
  }
  return found
}

/** The text from `start` to the bracket that closes the query around it. */
function ownClause(sql: string, start: number): string {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    if (sql[at] === '(') depth++
    if (sql[at] === ')' && --depth < 0) return sql.slice(start, at)
  }
  return sql.slice(start)
}

function withoutBrackets(text: string): string {
  const inner = text.replace(/\([^()]*\)/g, '')
  return inner === text ? text : withoutBrackets(inner)
}
