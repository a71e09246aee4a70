import type { TokenDeclaration } from '../../declare/api.ts'
import { allMethods, methodShape, scopePattern } from '../resources/methods-and-scopes.ts'
import {
  addressRangeFault,
  algorithmsFault,
  isOrigin,
  issuerFault,
  keepDaysFault,
  keysSourceFault,
  prefixFault,
  tokensFault,
} from './setting-faults.ts'
import {
  count,
  either,
  flag,
  functionShape,
  judged,
  like,
  list,
  listOf,
  mapOf,
  numberShape,
  type OptionTable,
  object,
  oneOf,
  optionsOf,
  type Shape,
  soundOptions,
  textShape,
  wordFrom,
  zodSchema,
} from './shapes.ts'

const rate = like(
  optionsOf({ needs: { perSecond: like(numberShape, '10') }, may: { burst: like(numberShape, '20') } }),
  '{ perSecond: 10, burst: 20 }',
)

const mode = wordFrom(['optional', 'required', 'off'], 'a mode')
const idempotencyKey = either(
  mode,
  optionsOf({ needs: { mode: like(mode, mode.description) }, may: { body: oneOf('stored', 'reread') } }),
)
const scope: Shape = {
  description: "the name of a scope, 'authenticated' or 'public'",
  holds: (value) => typeof value === 'string' && scopePattern.test(value),
}

const everyone: Shape = { description: "'*'", holds: (value) => value === '*' }
const origin: Shape = {
  description: 'an origin, such as "https://shop.example"',
  holds: (value) => typeof value === 'string' && isOrigin(value),
}

const demoKey = optionsOf({
  needs: { name: textShape, scopes: listOf(textShape) },
  may: { account: textShape, subject: textShape, claims: object, reads: listOf(textShape) },
})

const tokensOfIssuer = judged(
  optionsOf({
    may: {
      issuer: textShape,
      jwks: judged(textShape, keysSourceFault),
      audience: textShape,
      algorithms: judged(listOf(textShape), algorithmsFault),
      clockSkewSeconds: count,
      prefix: judged(textShape, prefixFault),
      claims: optionsOf({ may: { account: textShape, consumer: textShape, scopes: textShape } }),
    },
  }),
  // A wrong jwks was reported already, and would otherwise count as none.
  (_, declared: TokenDeclaration) => issuerFault(declared),
)

const duration = like(textShape, "'5m'")
const regularly = either(
  textShape,
  optionsOf({
    needs: { cron: like(textShape, "'0 3 * * *'") },
    may: { zone: like(textShape, "'Europe/Berlin'") },
  }),
)
const jobTables: { readonly [kind: string]: OptionTable } = {
  job: {
    form: 'job(z.object({ … }), async (payload, { as }) => { … })',
    ofArguments: ['schema', 'run'],
    needs: { schema: zodSchema, run: functionShape },
    may: { retries: like(listOf(duration), "['5s', '1m']"), within: duration },
  },
  every: {
    form: "every('1h', async ({ as }) => { … })",
    ofArguments: ['schedule', 'run'],
    needs: { schedule: regularly, run: functionShape },
    may: { within: duration },
  },
}
const kindOfJob = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'kind' in value ? String(value.kind) : ''
const jobShape: Shape = {
  description: 'a job(…) or an every(…)',
  holds: (value) => Object.hasOwn(jobTables, kindOfJob(value)),
  sound: (value, where, mistakes) =>
    soundOptions(
      value as Parameters<typeof soundOptions>[0],
      jobTables[kindOfJob(value)] ?? {},
      where,
      mistakes,
    ),
}

export const apiTable: OptionTable = {
  form: "api('name', { resources: [resource('books', { fields: { … } })] })",
  needs: { resources: list },
  may: {
    title: textShape,
    description: textShape,
    versions: like(list, "[version('v1')]"),
    unversioned: like(textShape, "'v1'"),
    accounts: oneOf('one'),
    limits: like(object, '{ pageMax: 50 }'),
    rate,
    rateStoreAway: oneOf('open', 'closed'),
    tokens: like(
      judged(either(tokensOfIssuer, listOf(tokensOfIssuer)), tokensFault),
      "{ issuer: 'https://login.example' }",
    ),
    scopes: like(mapOf(textShape), "{ 'orders:refund': 'Refund orders' }"),
    events: like(
      optionsOf({ needs: { keepDays: like(judged(numberShape, keepDaysFault('events')), '30') } }),
      '{ keepDays: 30 }',
    ),
    audit: like(
      either(
        flag,
        optionsOf({ needs: { keepDays: like(judged(numberShape, keepDaysFault('audit entries')), '365') } }),
      ),
      'true or { keepDays: 365 }',
    ),
    cors: like(
      optionsOf({
        needs: { origins: like(either(everyone, listOf(origin)), "['https://shop.example'] or '*'") },
        may: { maxAgeSeconds: count },
      }),
      "{ origins: ['https://shop.example'] }",
    ),
    jobs: like(
      mapOf(jobShape),
      "{ remind: job(z.object({ … }), async (payload) => { … }), tidy: every('1h', async () => { … }) }",
    ),
    proxies: like(listOf(judged(textShape, addressRangeFault)), "['10.0.0.0/8']"),
    seed: like(
      optionsOf({
        may: {
          accounts: like(listOf(textShape), "['acme']"),
          shared: functionShape,
          account: functionShape,
          demoKeys: listOf(demoKey),
        },
      }),
      "{ accounts: ['acme'], account: () => [] }",
    ),
  },
}

const problem = like(
  optionsOf({
    needs: { status: like(numberShape, '409'), title: like(textShape, "'The shelf is full'") },
    may: { description: textShape, fix: textShape },
  }),
  "{ status: 409, title: 'The shelf is full' }",
)

export const resourceTable: OptionTable = {
  form: "resource('name', { fields: { … } })",
  needs: { fields: object },
  may: {
    relations: like(object, "{ author: belongsTo('authors') }"),
    description: textShape,
    was: textShape,
    shared: flag,
    owner: textShape,
    idPrefix: textShape,
    nameIsPluralBecause: textShape,
    unique: like(
      listOf(either(textShape, listOf(textShape))),
      "['code'] for a field, [['shelf', 'code']] for several together",
    ),
    filter: like(listOf(textShape), "['title']"),
    sort: like(listOf(textShape), "['title']"),
    search: like(listOf(textShape), "['title']"),
    count: flag,
    bulk: flag,
    include: like(listOf(textShape), "['author']"),
    methods: like(listOf(methodShape), "['GET', 'POST']"),
    idempotencyKey: like(idempotencyKey, `${mode.description}, or { mode: 'required', body: 'reread' }`),
    requireIfMatch: flag,
    cacheControl: like(textShape, "'private, max-age=60'"),
    scopes: like(
      optionsOf({
        noun: 'read, write or a method',
        may: Object.fromEntries(['read', 'write', ...allMethods].map((key) => [key, scope])),
      }),
      "{ read: 'public', write: 'books:write' }",
    ),
    rate,
    limits: like(object, '{ pageMax: 50 }'),
    events: flag,
    audit: flag,
    keepOnAccountDeletion: flag,
    onlyWhile: like(
      mapOf(like(mapOf(like(listOf(textShape), "['draft']")), "{ status: ['draft'] }")),
      "{ order: { status: ['draft'] } }",
    ),
    deleteOnlyWhile: like(mapOf(like(listOf(textShape), "['draft']")), "{ status: ['draft'] }"),
    rules: like(
      optionsOf({
        noun: 'a rule',
        may: { read: functionShape, create: functionShape, update: functionShape, delete: functionShape },
      }),
      '{ read: ({ row, caller }) => … }',
    ),
    problems: like(mapOf(problem), `{ 'shelf-full': ${problem.example} }`),
    hooks: like(
      optionsOf({
        noun: 'a hook',
        may: {
          beforeCreate: functionShape,
          afterCreate: functionShape,
          beforeUpdate: functionShape,
          afterUpdate: functionShape,
          beforeDelete: functionShape,
          afterDelete: functionShape,
        },
      }),
      '{ beforeCreate(row) { … } }',
    ),
    answers: like(
      optionsOf({
        noun: 'an answer',
        may: { create: functionShape, get: functionShape, list: functionShape },
      }),
      '{ get(id, context) { … } }',
    ),
    answerWithin: like(textShape, "'5s'"),
  },
}

/** The options of a resource whose rows are totals. */
export const totalsTable: OptionTable = {
  form: "resource('order-totals', { totals: { of: 'orders', by: ['status'] } })",
  needs: {
    totals: like(
      optionsOf({
        needs: {
          of: like(textShape, "'orders'"),
          by: like(listOf(textShape), "['status']"),
        },
        may: { sums: like(listOf(textShape), "['total']") },
      }),
      "{ of: 'orders', by: ['status'], sums: ['total'] }",
    ),
  },
  may: {
    description: textShape,
    nameIsPluralBecause: textShape,
    methods: like(listOf(textShape), "['GET']"),
    cacheControl: like(textShape, "'private, max-age=60'"),
    scopes: like(optionsOf({ may: { read: scope } }), "{ read: 'reports:read' }"),
    rate,
    limits: like(object, '{ pageMax: 50 }'),
  },
}

export const relationTables: { readonly [kind: string]: OptionTable } = {
  'belongs-to': {
    form: "belongsTo('authors')",
    ofArguments: ['target', 'byResource'],
    needs: { target: textShape },
    may: {
      byResource: flag,
      optional: flag,
      immutable: flag,
      onTargetDelete: oneOf('refuse', 'cascade'),
      description: textShape,
      was: textShape,
    },
  },
  'has-many': {
    form: "hasMany('books')",
    ofArguments: ['target', 'byResource'],
    needs: { target: textShape },
    may: {
      byResource: flag,
      by: textShape,
      through: textShape,
      cap: like(numberShape, '100'),
      nameIsPluralBecause: textShape,
      description: textShape,
    },
  },
}

export const versionTable: OptionTable = {
  may: {
    published: like(textShape, "'2026-01-31'"),
    deprecated: like(textShape, "'2026-01-31'"),
    sunset: like(textShape, "'2026-01-31'"),
    changes: like(list, "[renameField('books', 'old_name', 'new_name')]"),
  },
}
