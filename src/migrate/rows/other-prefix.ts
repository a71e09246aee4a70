import type { Resource } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { idSchema } from '../../compile/resources/declared-fields.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { type Reading, type StoredColumn, scanColumn } from './scan.ts'
import { fitting } from './value-of-other-type.ts'

/**
 * Says how many rows have an id that was made with another prefix; null where none has. Such ids are refused as references, and they
 * are not rewritten: consumers know them.
 */
export async function otherPrefix(
  reading: Reading,
  { name, idPrefix }: Resource,
  stored: StoredColumn,
): Promise<string | null> {
  const schema = idSchema(idPrefix)
  if (stored.shape.schema && sameJson(stored.shape.schema, schema)) return null
  const { unfit } = await scanColumn(reading, stored, { kind: 'id', schema }, false)
  const place = stored.primaryKey.indexOf('id')
  // Seeds could give rows ids of any form before they were checked; those never had a prefix.
  const made = unfit.map(({ key }) => String(key[place])).filter(isMade)
  if (made.length === 0) return null
  const now = idPrefix === '' ? 'have no prefix' : `begin with "${idPrefix}"`
  return `${counted(made.length, 'row')} of ${name} ${made.length === 1 ? 'has' : 'have'} an id such as ${made[0]}, and ids ${now} now, so that nothing could refer to ${made.length === 1 ? 'it' : 'them'}. Declare idPrefix as it was, or delete all rows with nounkit reset`
}

/** Whether the engine made the id, with whatever prefix. */
const isMade = (id: string): boolean =>
  fitting(id.replace(/^[a-z][a-z0-9]*_/, ''), { kind: 'id', schema: idSchema('') }) !== undefined
