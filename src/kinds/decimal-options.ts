export interface DecimalOptions {
  /** Digits after the point, 0 to 6. Values are shown with exactly as many. */
  readonly scale: number
  /** Digits before and after the point together. At most 12 stand before the point, which is also the default. */
  readonly precision?: number
  /** The least and the greatest value, as strings. */
  readonly min?: string
  readonly max?: string
}

const names: readonly string[] = ['scale', 'precision', 'min', 'max'] satisfies (keyof DecimalOptions)[]

/** Throws a sentence for options of another type, which a declaration without types may have. */
export function checkDecimalOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new RangeError(
      `decimal(${shown(options)}): its options are missing. Write decimal({ scale: 2 }), with as many digits as values have after the point.`,
    )
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!names.includes(name)) throw new RangeError(`decimal({ ${name}: … }): ${notAnOption(name, value)}`)
    const wanted = name === 'scale' || name === 'precision' ? 'number' : 'string'
    if (typeof value === wanted) continue
    const hint =
      wanted === 'string'
        ? `Write ${name}: '${typeof value === 'number' ? value : 0}', in quotes.`
        : `Write ${name}: ${name === 'scale' ? 2 : 10}, without quotes.`
    throw new RangeError(
      `decimal({ ${name}: ${shown(value)}, … }): ${name} must be a ${wanted}, and is ${shown(value)}. ${hint}`,
    )
  }
}

const notAnOption = (name: string, value: unknown): string =>
  name === 'default'
    ? `a default is given behind it. Write decimal({ … }).default(${shown(String(value))}).`
    : `"${name}" is not an option. Its options are ${names.join(', ')}.`

const shown = (value: unknown): string => {
  if (typeof value === 'string') return `'${value}'`
  if (value === undefined) return ''
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : typeof value
}
