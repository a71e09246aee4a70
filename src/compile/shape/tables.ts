import type { TokenDeclaration } from '../../declare/api.ts'
import {
  addressRangeFault,
  algorithmsFault,
  issuerFault,
  keepDaysFault,
  keysSourceFault,
} from './setting-faults.ts'
import {
  code,
  count,
  either,
  flag,
  judged,
  list,
  listOf,
  mapOf,
  number,
  type OptionTable,
  object,
  oneOf,
  optionsOf,
  type Shape,
  text,
} from './shapes.ts'

const rate = optionsOf({ needs: { perSecond: number }, may: { burst: number } })

const everyone: Shape = { said: "'*'", holds: (value) => value === '*' }
const origin: Shape = {
  said: 'an origin, such as "https://shop.example"',
  holds: (value) => typeof value === 'string' && isOrigin(value),
}

/** As browsers send it: lowercase, without a path, and without the default port. Other schemes have an opaque origin. */
const isOrigin = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*,]+$/.test(value) &&
  [value, 'null'].includes(URL.canParse(value) ? new URL(value).origin : '')

const demoKey = optionsOf({
  needs: { account: text, name: text, scopes: listOf(text) },
  may: { subject: text, claims: object, reads: listOf(text) },
})

export const apiTable: OptionTable = {
  form: "api('name', { resources: [resource('books', { fields: { … } })] })",
  needs: { resources: list },
  may: {
    title: text,
    description: text,
    versions: list,
    unversioned: text,
    limits: object,
    rate,
    rateStoreAway: oneOf('open', 'closed'),
    tokens: judged(
      optionsOf({
        needs: { issuer: text },
        may: {
          jwks: judged(text, keysSourceFault),
          audience: text,
          algorithms: judged(listOf(text), algorithmsFault),
          clockSkewSeconds: count,
          claims: optionsOf({ may: { account: text, consumer: text, scopes: text } }),
        },
      }),
      // A wrong jwks was reported already, and would otherwise count as none.
      (_, declared: TokenDeclaration) => issuerFault(declared),
    ),
    scopes: mapOf(text),
    events: optionsOf({ needs: { keepDays: judged(number, keepDaysFault) } }),
    cors: optionsOf({
      needs: { origins: either(everyone, listOf(origin)) },
      may: { maxAgeSeconds: count },
    }),
    proxies: listOf(judged(text, addressRangeFault)),
    seed: optionsOf({
      needs: { accounts: listOf(text) },
      may: { shared: code, account: code, demoKeys: listOf(demoKey) },
    }),
  },
}

export const resourceTable: OptionTable = {
  form: "resource('name', { fields: { … } })",
  needs: { fields: object },
  may: {
    relations: object,
    description: text,
    was: text,
    shared: flag,
    owner: text,
    idPrefix: text,
    nameIsPluralBecause: text,
    unique: listOf(either(text, listOf(text))),
    filter: listOf(text),
    sort: listOf(text),
    include: listOf(text),
    methods: listOf(text),
    idempotencyKey: either(text, optionsOf({ needs: { mode: text }, may: { body: text } })),
    requireIfMatch: flag,
    cacheControl: text,
    scopes: object,
    rate,
    limits: object,
    events: flag,
    onlyWhile: mapOf(mapOf(listOf(text))),
    deleteOnlyWhile: mapOf(listOf(text)),
    rules: optionsOf({
      noun: 'a rule',
      may: { read: code, create: code, update: code, delete: code },
    }),
    problems: mapOf(
      optionsOf({ needs: { status: number, title: text }, may: { description: text, fix: text } }),
    ),
    hooks: optionsOf({
      noun: 'a hook',
      may: {
        beforeCreate: code,
        afterCreate: code,
        beforeUpdate: code,
        afterUpdate: code,
        beforeDelete: code,
        afterDelete: code,
      },
    }),
  },
}

export const relationTables: { readonly [kind: string]: OptionTable } = {
  'belongs-to': {
    form: "belongsTo('authors')",
    needs: { target: text },
    may: {
      byResource: flag,
      optional: flag,
      immutable: flag,
      onTargetDelete: oneOf('refuse', 'cascade'),
      description: text,
      was: text,
    },
  },
  'has-many': {
    form: "hasMany('books')",
    needs: { target: text },
    may: { byResource: flag, by: text, cap: number, nameIsPluralBecause: text, description: text },
  },
}

export const versionTable: OptionTable = {
  may: { published: text, deprecated: text, sunset: text, changes: list },
}
