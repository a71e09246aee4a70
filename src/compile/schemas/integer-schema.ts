import type { JsonSchema } from '../../declare/json-schema.ts'

/** The integers that a schema allows: the least, the greatest, and the step between them. */
type Integers = Required<Pick<JsonSchema, 'minimum' | 'maximum' | 'multipleOf'>>

/**
 * The integers among the values of two schemas, with bounds that are values themselves, so that `gt(0)` and `min(1)` are
 * the same. Bounds move to a multiple of the step only where both schemas have that step: otherwise a new step would be
 * reported as new bounds too.
 */
export const integersAmong = (from: JsonSchema, to: JsonSchema): readonly [Integers, Integers] => {
  const [before, after] = [integersOf(from), integersOf(to)]
  return before.multipleOf === after.multipleOf ? [onSteps(before), onSteps(after)] : [before, after]
}

const integersOf = (schema: JsonSchema): Integers => {
  const { minimum: least = Number.NEGATIVE_INFINITY, exclusiveMinimum: above = Number.NEGATIVE_INFINITY } =
    schema
  const { maximum: most = Number.POSITIVE_INFINITY, exclusiveMaximum: below = Number.POSITIVE_INFINITY } =
    schema
  return {
    minimum: Math.max(Math.ceil(least), Math.floor(above) + 1),
    maximum: Math.min(Math.floor(most), Math.ceil(below) - 1),
    multipleOf: leastInteger(schema.multipleOf ?? 1),
  }
}

const onSteps = ({ minimum, maximum, multipleOf: step }: Integers): Integers => ({
  // Adding 0 turns -0, which a bound between -step and 0 becomes, into 0.
  minimum: Math.ceil(minimum / step) * step + 0,
  maximum: Math.floor(maximum / step) * step + 0,
  multipleOf: step,
})

/** The least integer that is a multiple: 1.5 = 15/10 = 3/2 gives 3. */
const leastInteger = (step: number): number => {
  const [digits = '', exponent = '0'] = String(step).split('e')
  const places = (digits.split('.')[1]?.length ?? 0) - Number(exponent)
  if (places <= 0) return step
  const whole = Math.round(step * 10 ** places)
  return whole / greatestDivisor(whole, 10 ** places)
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))
