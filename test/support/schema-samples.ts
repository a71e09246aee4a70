type Schema = { readonly [keyword: string]: unknown }

/** Values that a schema of an OpenAPI document allows: some of each form, and those at its bounds. */
export const samplesOf = (schema: Schema): readonly unknown[] => {
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined
  if (choices) return choices.flatMap(samplesOf)
  if (schema.const !== undefined) return [schema.const]
  if (schema.enum) return schema.enum as readonly unknown[]
  const types = Array.isArray(schema.type) ? (schema.type as readonly string[]) : [String(schema.type)]
  return types.flatMap((type) => samplesOfType[type]?.(schema) ?? [1, 'any'])
}

const samplesOfType: { readonly [type: string]: (schema: Schema) => readonly unknown[] } = {
  null: () => [null],
  boolean: () => [true, false],
  string: (schema) => stringsOf(schema),
  integer: (schema) => numbersOf(schema, 1),
  number: (schema) => numbersOf(schema, 0.25),
  array: (schema) => arraysOf(schema),
  object: (schema) => objectsOf(schema),
}

const ofFormat: { readonly [format: string]: readonly string[] } = {
  email: ['ada', 'bo', 'cy', 'di'].map((name) => `${name}@example.com`),
  uri: ['a', 'b', 'c', 'd'].map((path) => `https://example.com/${path}`),
  uuid: [1, 2, 3, 4].map((digit) => `0190a0a0-0000-7000-8000-00000000000${digit}`),
  date: ['2026-03-01', '2025-12-31'],
  'date-time': ['2026-03-01T10:00:00.000Z', '2025-12-31T23:59:59.999Z'],
}

const stringsOf = ({ format, minLength = 0, maxLength = 40, pattern }: Schema): readonly string[] => {
  const known = ofFormat[String(format)]
  if (known) return known
  const [least, most] = [Number(minLength), Math.min(Number(maxLength), 400)]
  const lengths = [Math.max(least, Math.min(3, most)), most, least]
  const texts = lengths.map((length, at) => 'abcdef'.repeat(70).slice(at, at + length))
  const fits = (text: string) => pattern === undefined || new RegExp(String(pattern), 'u').test(text)
  return [...new Set([...texts, 'Ö x'])].filter(
    (text) => text.length >= least && text.length <= most && fits(text),
  )
}

const numbersOf = (schema: Schema, finest: number): readonly number[] => {
  const { minimum = -1e6, maximum = 1e6, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const step = Number(multipleOf ?? finest)
  const isWhole = finest === 1
  const least = Math.max(Number(exclusiveMinimum ?? minimum), Number(minimum), -1e6)
  const most = Math.min(Number(exclusiveMaximum ?? maximum), Number(maximum), 1e6)
  const fits = (value: number) =>
    value >= least &&
    value <= most &&
    value !== exclusiveMinimum &&
    value !== exclusiveMaximum &&
    (!isWhole || Number.isInteger(value))
  // Through text, so that three steps of 0.1 are 0.3.
  const rounded = (value: number) => Number((Math.round(value / step) * step).toPrecision(12))
  const wanted = [6, least, most, least + step, most - step, 0, 1.5].map(rounded)
  return [...new Set(wanted.map((value) => value + 0))].filter(fits)
}

const arraysOf = ({ items, prefixItems, minItems = 0, maxItems = 3 }: Schema): readonly unknown[] => {
  if (Array.isArray(prefixItems)) return [prefixItems.map((item) => samplesOf(item)[0])]
  const values = samplesOf((items ?? {}) as Schema)
  const lengths = [1, Number(minItems), Math.min(3, Number(maxItems))].filter(
    (one) => one >= Number(minItems),
  )
  return [...new Set(lengths)].map((length) =>
    Array.from({ length }, (_, at) => values[at % Math.max(1, values.length)]),
  )
}

const objectsOf = (schema: Schema): readonly unknown[] => {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: Schema }
  const required = (schema.required ?? []) as readonly string[]
  const others = schema.additionalProperties
  const keys = schema.propertyNames as Schema | undefined
  const keyed = (names: readonly string[], turn: number) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const values = samplesOf(properties[name] ?? (typeof others === 'object' ? (others as Schema) : {}))
        return values.length === 0 ? [] : [[name, values[turn % values.length]]]
      }),
    )
  const names = [...Object.keys(properties), ...((keys?.enum ?? []) as readonly string[])]
  const free = others === false || keys?.enum ? [] : ['abc', 'k']
  return [
    keyed(required, 0),
    keyed([...new Set([...names, ...required])], 0),
    keyed([...new Set([...names, ...required])], 1),
    keyed([...new Set([...required, ...free])], 1),
  ]
}
