import type { SortKey, SortPosition } from '../call/query.ts'
import type { ViewField } from '../compile/model.ts'
import { codecs, sortsAsText } from '../compile/versions/codecs.ts'
import { type FieldKind, kinds } from '../kinds/kinds.ts'
import { badCursor } from './cursor.ts'

type Key = SortPosition[number]

/**
 * A cursor's position in the form that a list is sorted by today. A cursor from before a newer version changed the type of a
 * field has the older form of its values, which is the form that the older version shows.
 */
export const positionIn = (position: SortPosition, sort: readonly SortKey[]): SortPosition =>
  position.map((value, index) => {
    const field = sort[index]?.field
    const key = field && value !== null ? keyIn(value, field) : value
    if (key === undefined) throw badCursor()
    return key
  })

function keyIn(value: Key, field: ViewField): Key | undefined {
  const kind = sortsAsText(field) ? 'string' : (field.field?.kind ?? 'string')
  if (isOfKind(value, kind)) return value
  const converted = field.codec && isOfKind(value, field.kind) ? codecs[field.codec].up(value) : undefined
  return isOfKind(converted, kind) ? converted : undefined
}

const isOfKind = (value: unknown, kind: FieldKind): value is NonNullable<Key> => kinds[kind].isStored(value)
