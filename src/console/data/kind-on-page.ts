import type { JsonSchema } from '../../declare/json-schema.ts'
import type { FieldKind } from '../../kinds/kinds.ts'

/** What the pages of the console do with values of a kind. */
interface KindOnPage {
  /** How a value is shown. */
  readonly shownAs: 'text' | 'figure' | 'id' | 'time' | 'tag' | 'json'
  /** The values that an input offers; null where any may be typed. */
  choices(schema: JsonSchema): readonly string[] | null
  /** The input has several lines. */
  isLong(schema: JsonSchema): boolean
  readonly inputType: 'text' | 'date'
  /** The keyboard that a phone shows. */
  readonly inputMode: 'numeric' | 'decimal' | null
  readonly example: string | null
  /** An empty input may be a value: the empty text. */
  readonly mayBeEmpty: boolean
  /** Rows can be named by such a field. */
  readonly namesRows: boolean
  /** What an input's text is sent as. A text that is no value is sent as it is: the engine says what is wrong with it. */
  sent(text: string): unknown
}

const plain: KindOnPage = {
  shownAs: 'text',
  choices: () => null,
  isLong: () => false,
  inputType: 'text',
  inputMode: null,
  example: null,
  mayBeEmpty: false,
  namesRows: false,
  sent: (text) => text,
}

const listed = (schema: JsonSchema): readonly string[] => (schema.enum ?? []).map(String)

const numberIn = (text: string): unknown =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : text

/** Every kind. The compiler asks for a line here when there is another one. */
export const kindOnPage: { readonly [K in FieldKind]: KindOnPage } = Object.freeze({
  id: { ...plain, shownAs: 'id' },
  reference: { ...plain, shownAs: 'id' },
  string: {
    ...plain,
    isLong: ({ maxLength = 1000, format }) => maxLength > 200 && format === undefined,
    mayBeEmpty: true,
    namesRows: true,
  },
  integer: { ...plain, shownAs: 'figure', inputMode: 'numeric', sent: numberIn },
  number: { ...plain, shownAs: 'figure', inputMode: 'decimal', sent: numberIn },
  decimal: { ...plain, shownAs: 'figure', inputMode: 'decimal' },
  boolean: {
    ...plain,
    choices: () => ['true', 'false'],
    sent: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  },
  enum: { ...plain, choices: listed },
  state: { ...plain, shownAs: 'tag', choices: listed },
  date: { ...plain, inputType: 'date' },
  datetime: { ...plain, shownAs: 'time', example: '2026-07-01T12:00:00Z' },
  json: { ...plain, shownAs: 'json', isLong: () => true, sent: (text) => JSON.parse(text) },
} satisfies { readonly [K in FieldKind]: KindOnPage })
