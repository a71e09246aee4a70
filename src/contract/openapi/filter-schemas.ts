import type { ViewField } from '../../compile/model.ts'
import type { CodecName } from '../../declare/change.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { integerPattern, safeInteger } from '../../kinds/integer.ts'
import { kinds } from '../../kinds/kinds.ts'
import { type OperatorName, operators } from '../../kinds/operators.ts'
import { patternOrNull } from '../../kinds/text-patterns.ts'
import { codecRules } from './codec-rules.ts'

/** The schema of one value of a filter. Only the type of the value must be right: a value that no row can hold finds nothing. */
export const filterSchema = (field: ViewField, operator: OperatorName): JsonSchema => {
  const orNull = takesNull(field, operator)
  if (field.codec) return codecSchema(field, field.codec, orNull)
  const { takesList: inList, compares } = operators[operator]
  return kinds[field.kind].filterSchema(field.schema, { inList, compares, orNull })
}

/** The sentence that a filter's description has where `null` is a value. */
export const nullNote = (field: ViewField, operator: OperatorName): string =>
  takesNull(field, operator) ? ' `null` stands for an unset value.' : ''

const takesNull = ({ nullable }: ViewField, operator: OperatorName): boolean =>
  nullable && operators[operator].takesNull

/** A value in the form that an older version gives it: a text or an integer. */
const codecSchema = ({ schema }: ViewField, codec: CodecName, orNull: boolean): JsonSchema => {
  const rules = codecRules[codec]
  if (orNull) return patternOrNull(rules.pattern?.replace(/^\^|\$$/g, '') ?? integerPattern(rules))
  const { format } = schema
  const own = schema.type === 'string' ? { type: schema.type, ...(format ? { format } : {}) } : safeInteger
  return { ...own, ...rules }
}
