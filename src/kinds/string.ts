import { isUrl } from './is-url.ts'
import type { Kind, StringFormat } from './kind.ts'
import { asText } from './other-kind.ts'
import { rewritten } from './rewrites.ts'
import { text } from './text.ts'
import { anyFilterText, emailLocalTooLong, emailMaxLength, emailPattern } from './text-patterns.ts'

const emailForm = new RegExp(emailPattern)
const longLocal = new RegExp(emailLocalTooLong)
const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const email: StringFormat = {
  zodName: 'email',
  keywords: [],
  noun: () => 'an email address',
  test: (value) => value.length <= emailMaxLength && emailForm.test(value) && !longLocal.test(value),
  checks: ({ pattern, maxLength }) => ({
    pattern: pattern ?? emailPattern,
    maxLength: Math.min(maxLength ?? emailMaxLength, emailMaxLength),
    // With a type, so that null, to which no pattern applies, is not meant.
    not: { type: 'string', pattern: emailLocalTooLong },
  }),
  example: () => 'ada@example.com',
  source: () => 'z.email()',
  compare: () => [],
}

const uri: StringFormat = {
  zodName: 'url',
  keywords: [],
  noun: () => 'a URL',
  test: isUrl,
  checks: () => ({}),
  example: () => 'https://example.com/',
  source: () => 'z.url()',
  compare: () => [],
}

const uuid: StringFormat = {
  zodName: 'uuid',
  keywords: [],
  noun: () => 'a UUID',
  test: (value) => isUuid.test(value),
  checks: () => ({}),
  example: () => '01980000-0000-7000-8000-000000000042',
  source: () => 'z.uuid()',
  compare: () => [],
}

/** `z.string()`, and strings with a format that is not a kind of its own. */
export const string: Kind = Object.freeze({
  ...text,
  readsZod: (zodType) => zodType === 'string',
  formats: { email, uri, uuid },
  listsValues: false,
  canBeOpen: false,
  canBeRewritten: true,
  hasWords: true,
  notQueryable: null,
  castableFrom: ['integer', 'bigint'],
  isOrdered: true,
  fromOther: asText,
  toStored: (value, schema) => rewritten(schema, value),
  parse: (value) => value,
  filterValueNoun: () => 'a valid value',
  filterSchema: (_, { inList }) => anyFilterText(inList),
  typeName: () => 'string',
} satisfies Kind)
