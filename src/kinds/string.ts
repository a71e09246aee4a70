import { isUrl } from './is-url.ts'
import type { Kind, StringFormat } from './kind.ts'
import { asText } from './other-kind.ts'
import { rewritten } from './rewrites.ts'
import { text } from './text.ts'
import { anyFilterText, emailLocalTooLong, emailMaxLength, emailPattern } from './text-patterns.ts'
import { usualFormat } from './usual.ts'

const emailForm = new RegExp(emailPattern)
const longLocal = new RegExp(emailLocalTooLong)
const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const email: StringFormat = {
  ...usualFormat,
  zodName: 'email',
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
}

const uri: StringFormat = {
  ...usualFormat,
  zodName: 'url',
  noun: () => 'a URL',
  test: isUrl,
  example: () => 'https://example.com/',
  source: () => 'z.url()',
}

const uuid: StringFormat = {
  ...usualFormat,
  zodName: 'uuid',
  noun: () => 'a UUID',
  test: (value) => isUuid.test(value),
  example: () => '01980000-0000-7000-8000-000000000042',
  source: () => 'z.uuid()',
}

/** `z.string()`, and strings with a format that is not a kind of its own. */
export const string: Kind = Object.freeze({
  ...text,
  readsZod: (zodType) => zodType === 'string',
  formats: { email, uri, uuid },
  isFreeText: true,
  isOrdered: true,
  fromOther: asText,
  toStored: (value, schema) => rewritten(schema, value),
  parse: (value) => value,
  filterValueNoun: () => 'a valid value',
  filterSchema: (_, { inList }) => anyFilterText(inList),
} satisfies Kind)
