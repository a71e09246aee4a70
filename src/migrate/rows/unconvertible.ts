import { counted } from '../../compile/names/plural.ts'
import { codecs } from '../../compile/versions/codecs.ts'
import { ident } from '../../plan/dialect.ts'
import { type Session, StoreRefused } from '../../store/store.ts'
import { type ConversionSql, converts } from '../plan/changes-of-type.ts'
import type { Reshape } from '../plan/table-change.ts'
import type { PresentTable } from '../present.ts'
import type { FormerType } from '../wanted/table.ts'

/** One sentence for each column in which some rows have a value that cannot be converted. */
export async function unconvertible(
  session: Session,
  { from, columns }: Reshape,
  there: PresentTable | undefined,
  conversionSql: ConversionSql,
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const { column, from: now } of columns) {
    const { name, was } = column
    const older = was && conversionSql.type(codecs[was.codec].older).toLowerCase()
    // Where both types have the same column type, as integers and booleans on SQLite, every start checks the values.
    if (!was || there?.columns.get(now ?? name)?.type !== older) continue
    const sentence = await sentenceOf(session, from, now ?? name, was, conversionSql)
    if (sentence !== null) sentences.push(sentence)
  }
  return sentences
}

async function sentenceOf(
  session: Session,
  table: string,
  column: string,
  { codec, version }: FormerType,
  conversionSql: ConversionSql,
): Promise<string | null> {
  const x = ident(column)
  const from = `FROM ${ident(table)} WHERE ${x} IS NOT NULL AND (${converts(conversionSql, codec, x)}) IS NOT TRUE`
  const [found] = await session.all(`SELECT count(*) ${from}`)
  const count = Number(found?.[0])
  if (count === 0) return null
  const [example] = await session.all(
    `SELECT "id", ${conversionSql.dialect.asText(x)} ${from} ORDER BY "id" LIMIT 1`,
  )
  const rows = `${counted(count, 'row')} ${count === 1 ? 'has' : 'have'}`
  return `${table}.${column}: ${rows} a value that ${codec} cannot take without changing what ${version} shows, such as ${JSON.stringify(example?.[1])} in the row with the id ${example?.[0]}.`
}

export function refuseUnconvertible(sentences: readonly string[]): void {
  if (sentences.length === 0) return
  throw new StoreRefused(
    `The values of the store cannot be converted. Nothing was changed. Change these values, then run nounkit migrate again:\n${sentences.join('\n')}`,
  )
}
