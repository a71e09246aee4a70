import type { Resource } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { idSchema } from '../../compile/resources/declared-fields.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { type Reading, type StoredColumn, scanColumn } from './scan.ts'

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
  if (unfit.length === 0) return null
  const now = idPrefix === '' ? 'have no prefix' : `begin with "${idPrefix}"`
  return `${counted(unfit.length, 'row')} of ${name} ${unfit.length === 1 ? 'has' : 'have'} an id such as ${JSON.parse(unfit[0]?.value ?? '')}, and ids ${now} now, so that nothing could refer to ${unfit.length === 1 ? 'it' : 'them'}. Declare idPrefix as it was, or delete all rows with nounkit reset`
}
