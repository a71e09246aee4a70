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
  like,
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

const rate = like(
  optionsOf({ needs: { perSecond: like(number, '10') }, may: { burst: like(number, '20') } }),
  '{ perSecond: 10, burst: 20 }',
)

const modes = "'optional', 'required' or 'off'"
const idempotencyKey = either(
  text,
  optionsOf({
    needs: { mode: like(text, modes) },
    may: { body: like(text, "'stored' or 'reread'") },
  }),
)

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
    versions: like(list, "[version('v1')]"),
    unversioned: like(text, "'v1'"),
    limits: like(object, '{ pageMax: 50 }'),
    rate,
    rateStoreAway: oneOf('open', 'closed'),
    tokens: judged(
      like(
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
        "{ issuer: 'https://login.example' }",
      ),
      // A wrong jwks was reported already, and would otherwise count as none.
      (_, declared: TokenDeclaration) => issuerFault(declared),
    ),
    scopes: like(mapOf(text), "{ 'orders:refund': 'Refund orders' }"),
    events: like(
      optionsOf({ needs: { keepDays: like(judged(number, keepDaysFault), '30') } }),
      '{ keepDays: 30 }',
    ),
    cors: like(
      optionsOf({
        needs: { origins: like(either(everyone, listOf(origin)), "['https://shop.example'] or '*'") },
        may: { maxAgeSeconds: count },
      }),
      "{ origins: ['https://shop.example'] }",
    ),
    proxies: like(listOf(judged(text, addressRangeFault)), "['10.0.0.0/8']"),
    seed: like(
      optionsOf({
        needs: { accounts: like(listOf(text), "['acme']") },
        may: { shared: code, account: code, demoKeys: listOf(demoKey) },
      }),
      "{ accounts: ['acme'], account: () => [] }",
    ),
  },
}

const problem = like(
  optionsOf({
    needs: { status: like(number, '409'), title: like(text, "'The shelf is full'") },
    may: { description: text, fix: text },
  }),
  "{ status: 409, title: 'The shelf is full' }",
)

export const resourceTable: OptionTable = {
  form: "resource('name', { fields: { … } })",
  needs: { fields: object },
  may: {
    relations: like(object, "{ author: belongsTo('authors') }"),
    description: text,
    was: text,
    shared: flag,
    owner: text,
    idPrefix: text,
    nameIsPluralBecause: text,
    unique: like(
      listOf(either(text, listOf(text))),
      "['code'] for a field, [['shelf', 'code']] for several together",
    ),
    filter: like(listOf(text), "['title']"),
    sort: like(listOf(text), "['title']"),
    include: like(listOf(text), "['author']"),
    methods: like(listOf(text), "['GET', 'POST']"),
    idempotencyKey: like(idempotencyKey, `${modes}, or { mode: 'required', body: 'reread' }`),
    requireIfMatch: flag,
    cacheControl: like(text, "'private, max-age=60'"),
    scopes: like(object, "{ read: 'public', write: 'books:write' }"),
    rate,
    limits: like(object, '{ pageMax: 50 }'),
    events: flag,
    onlyWhile: like(
      mapOf(like(mapOf(like(listOf(text), "['draft']")), "{ status: ['draft'] }")),
      "{ order: { status: ['draft'] } }",
    ),
    deleteOnlyWhile: like(mapOf(like(listOf(text), "['draft']")), "{ status: ['draft'] }"),
    rules: like(
      optionsOf({
        noun: 'a rule',
        may: { read: code, create: code, update: code, delete: code },
      }),
      '{ read: ({ row, caller }) => … }',
    ),
    problems: like(mapOf(problem), `{ 'shelf-full': ${problem.example} }`),
    hooks: like(
      optionsOf({
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
      '{ beforeCreate(row) { … } }',
    ),
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
    may: {
      byResource: flag,
      by: text,
      cap: like(number, '100'),
      nameIsPluralBecause: text,
      description: text,
    },
  },
}

export const versionTable: OptionTable = {
  may: {
    published: like(text, "'2026-01-31'"),
    deprecated: like(text, "'2026-01-31'"),
    sunset: like(text, "'2026-01-31'"),
    changes: like(list, "[renameField('books', 'old_name', 'new_name')]"),
  },
}
