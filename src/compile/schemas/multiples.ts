/**
 * Whether a number is a multiple of a step, by their decimal forms. Division of doubles is not exact: 0.3 / 0.1 is
 * 2.9999999999999996, and the error grows with the number.
 */
export const isMultiple = (value: number, step: number): boolean => {
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
  const [one, other] = [decimalOf(value), decimalOf(step)]
  const places = Math.max(one.places, other.places)
  return scaled(one, places) % scaled(other, places) === 0n
}

/** `digits / 10 ** places` */
interface Decimal {
  readonly digits: bigint
  readonly places: number
}

/** The shortest decimal that reads back as the number: `1.5e-7` is 15 with 8 places. */
const decimalOf = (value: number): Decimal => {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) }
}

const scaled = ({ digits, places }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - places)
