import fc from 'fast-check'

/** A request as bytes, and how they are sent. */
export type HostileRequest = {
  bytes: Buffer
  pieces: number
  cutShort: boolean
  /** Sound HTTP: must be answered. */
  sound: boolean
}

export type KnownThings = {
  /** Ids of rows that exist, by resource. */
  readonly of: { readonly [resource: string]: readonly string[] }
  readonly keys: readonly string[]
  readonly ids: readonly string[]
  readonly cursors: readonly string[]
}

const resources = [
  'customers',
  'clients',
  'products',
  'orders',
  'order-items',
  'adjustments',
  'payments',
  'refunds',
  'items',
]
const nastyText = [
  '',
  ' ',
  '%',
  '%0',
  '%00',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%E2%80%AE',
  '\u00e9',
  "'",
  '"',
  "' OR 1=1--",
  '; DROP TABLE orders',
  '{{7*7}}',
  '<script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e309',
  '9007199254740993',
  '99999999999999999999',
  '0x10',
  '\t',
  'a'.repeat(300),
  'a,b,,c',
  'a.b.c.d.e',
  '*',
  '{}',
  '[]',
  'true',
  '2026-02-30',
  '2026-01-01T00:00:00Z',
  '+',
  '&',
  '=',
  '#',
  '\\',
  '\\,',
  'items.product',
  'customer',
  'status',
  '-created_at',
]
const nasty = fc.oneof(
  fc.constantFrom(...nastyText),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

export function hostileRequests(known: KnownThings): fc.Arbitrary<HostileRequest> {
  const head = fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') },
      { weight: 1, arbitrary: fc.constantFrom('TRACE', 'PROPFIND', 'get', 'BREW', 'CONNECT', '', 'G ET') },
    ),
    target: target(known),
    protocol: fc.oneof(
      { weight: 30, arbitrary: fc.constant('HTTP/1.1') },
      { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 ', '') },
    ),
    headers: headers(known),
    body: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 5, arbitrary: body(known) }),
    framing: fc.constantFrom(
      'length',
      'length',
      'length',
      'length',
      'chunked',
      'chunked',
      'long',
      'short',
      'both',
      'none',
    ),
  })
  const sound = fc
    .record({
      call: soundCall(known),
      headers: soundHeaders(known),
      framing: fc.constantFrom('length', 'chunked'),
    })
    .map(({ call, ...rest }): Parts => ({ ...call, ...rest, protocol: 'HTTP/1.1' }))
  const broken = fc.record({
    head: fc.oneof({ weight: 1, arbitrary: sound }, { weight: 3, arbitrary: head }),
    flips: fc.oneof({ weight: 3, arbitrary: fc.constant<Flip[]>([]) }, { weight: 1, arbitrary: flips }),
    pieces: fc.constantFrom(1, 1, 1, 2, 5),
    cutShort: fc.oneof(
      { weight: 15, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  })
  return fc.oneof(
    // Most are sound HTTP, so that they get far into the engine with what they carry.
    {
      weight: 3,
      arbitrary: sound.map((parts) => ({ bytes: toBytes(parts), pieces: 1, cutShort: false, sound: true })),
    },
    { weight: 1, arbitrary: broken.map(breakUp) },
  )
}

type Broken = { head: Parts; flips: readonly Flip[]; pieces: number; cutShort: boolean }

function breakUp({ head, flips: wrong, pieces, cutShort }: Broken): HostileRequest {
  const bytes = flip(toBytes(head), wrong)
  return {
    bytes: cutShort ? bytes.subarray(0, Math.ceil(bytes.length * 0.7)) : bytes,
    pieces,
    cutShort,
    sound: false,
  }
}

/** What creates a row, in both versions. */
const creates: [string, string[]][] = [
  ['/v2/customers', ['name', 'email']],
  ['/v1/clients', ['full_name', 'email']],
  ['/v2/orders', ['customer_id', 'currency']],
  ['/v1/orders', ['client_id']],
  ['/v2/order-items', ['order_id', 'product_id', 'quantity', 'unit_price']],
  ['/v2/payments', ['order_id', 'amount', 'currency']],
  ['/v2/adjustments', ['order_item_id', 'amount', 'reason']],
  ['/v2/products', ['sku', 'title', 'price', 'currency']],
]

type Call = { method: string; target: string; body: Buffer | null }

/** A call that could succeed, but for a value or two and a hostile query now and then. */
function soundCall(known: KnownThings): fc.Arbitrary<Call> {
  const rows = Object.entries(known.of).flatMap(([name, ids]) => ids.map((id) => `/v2/${name}/${id}`))
  const query = target(known).map((text) => /\?.*/s.exec(text)?.[0] ?? '')
  const list = fc
    .tuple(fc.constantFrom('/v2', '/v1', ''), fc.constantFrom(...resources))
    .map((parts) => parts.join('/'))
  const under = fc
    .tuple(fc.constantFrom(...rows), fc.constantFrom('orders', 'items', 'payments', 'refunds', 'adjustments'))
    .map((parts) => parts.join('/'))
  const read = fc
    .tuple(
      fc.constantFrom('GET', 'GET', 'HEAD'),
      fc.oneof(list, fc.constantFrom(...rows), under),
      fc.oneof(fc.constant(''), query),
    )
    .map(([method, path, asked]) => ({ method, target: encoded(path + asked), body: null }))
  const create = fc
    .constantFrom(...creates)
    .chain(([path, names]) => soundBody(known, names).map((body) => ({ method: 'POST', target: path, body })))
  const change = fc
    .tuple(
      fc.constantFrom('PUT', 'PATCH', 'PATCH', 'DELETE'),
      fc.constantFrom(...rows),
      fc.constantFrom(...creates, ['', ['status']] as const),
    )
    .chain(([method, path, [, names]]) =>
      soundBody(known, names).map((body) => ({ method, target: path, body })),
    )
  const createUnder = fc
    .tuple(under, fc.constantFrom(...creates))
    .chain(([path, [, names]]) =>
      soundBody(known, names).map((body) => ({ method: 'POST', target: path, body })),
    )
  return fc.oneof(read, create, change, createUnder)
}

const encoded = (target: string): string => encodeURI(target.toWellFormed()).replaceAll('%25', '%')

function soundHeaders({ keys }: KnownThings): fc.Arbitrary<string[]> {
  const extra = fc.constantFrom(
    'If-Match: "1"',
    'If-Match: *',
    'If-Match: "1", W/"2"',
    'If-None-Match: "1"',
    'If-None-Match: *',
    'Accept: application/*',
    'X-A: b',
    'If-Match: "1.deadbeef"',
    'If-Match: x',
    'Accept: text/html;q=0.1, */*;q=0.5',
  )
  return fc
    .tuple(
      fc.constantFrom(...keys),
      fc.oneof(fc.constant([]), fc.array(extra, { maxLength: 2 })),
      fc.option(fc.nat(2_000)),
      fc.nat(9),
    )
    .map(([key, extras, idempotency, patch]) => [
      `Authorization: Bearer ${key}`,
      `Content-Type: application/${patch > 0 ? 'json' : 'merge-patch+json'}`,
      ...(idempotency === null ? [] : [`Idempotency-Key: k${idempotency}`]),
      ...extras,
    ])
}

/** What a resource takes, with one of its values replaced now and then. */
function soundBody({ of }: KnownThings, names: readonly string[]): fc.Arbitrary<Buffer> {
  const idOf = (resource: string) => fc.constantFrom(...(of[resource] ?? ['none']))
  const valid = fc.record({
    name: fc.constant('N'),
    full_name: fc.constant('N'),
    email: fc.nat(10_000).map((n) => `f${n}@fuzz.example`),
    currency: fc.constant('EUR'),
    customer_id: idOf('customers'),
    client_id: idOf('customers'),
    order_id: idOf('orders'),
    order_item_id: idOf('order-items'),
    product_id: idOf('products'),
    quantity: fc.nat(1_100),
    unit_price: fc.nat(),
    amount: fc.nat(500),
    reason: fc.constant('r'),
    sku: fc.nat(10_000).map(String),
    title: fc.constant('t'),
    price: fc.nat(),
    status: fc.constantFrom('draft', 'placed', 'paid', 'cancelled', 'open'),
  })
  const hostile = fc.oneof(
    nasty,
    fc.integer(),
    fc.double(),
    fc.constantFrom(null, true, 2 ** 53, -1, 1e308, '\ud800', '\0', '', []),
    fc.jsonValue({ maxDepth: 2 }),
  )
  return fc.tuple(valid, fc.option(hostile, { freq: 2 }), fc.nat(3)).map(([values, wrong, which]) => {
    const entries = names.map((name, i) => [
      name,
      wrong !== null && i === which ? wrong : (values as { [name: string]: unknown })[name],
    ])
    return Buffer.from(JSON.stringify(Object.fromEntries(entries)))
  })
}

type Flip = { at: number; byte: number }
const flips: fc.Arbitrary<Flip[]> = fc.array(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) }),
  {
    minLength: 1,
    maxLength: 4,
  },
)

function flip(bytes: Buffer, wrong: readonly Flip[]): Buffer {
  for (const { at, byte } of wrong) bytes[Math.min(bytes.length - 1, Math.floor(at * bytes.length))] = byte
  return bytes
}

function target({ ids, cursors }: KnownThings): fc.Arbitrary<string> {
  const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 2, arbitrary: nasty })
  const resource = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...resources) },
    { weight: 1, arbitrary: nasty },
  )
  const version = fc.constantFrom('/v2', '/v2', '/v2', '/v1', '/v1', '', '/v3', '/V2', '//', '/%76%32')
  const path = fc.oneof(
    fc.tuple(version, resource).map(([v, r]) => `${v}/${r}`),
    fc.tuple(version, resource, id).map(([v, r, i]) => `${v}/${r}/${i}`),
    fc.tuple(version, resource, id, resource).map(([v, r, i, s]) => `${v}/${r}/${i}/${s}`),
    fc.tuple(version, resource, id, resource, id).map(([v, r, i, s, t]) => `${v}/${r}/${i}/${s}/${t}`),
    fc.array(nasty, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
    fc.constantFrom(
      '/',
      '/v2',
      '/problems/x',
      '/problems/__proto__',
      '/docs/x',
      '/openapi.json',
      '*',
      'http://x',
      '/readyz',
    ),
  )
  const value = fc.oneof(nasty, fc.constantFrom(...cursors, ...ids))
  const field = fc.oneof(
    fc.constantFrom(
      'status',
      'customer_id',
      'client_id',
      'total',
      'created_at',
      'email',
      'active',
      'price',
      'name',
      'referrer_id',
    ),
    nasty,
  )
  const operator = fc.constantFrom(
    '',
    '[eq]',
    '[ne]',
    '[in]',
    '[gt]',
    '[gte]',
    '[lt]',
    '[lte]',
    '[x]',
    '[',
    '[__proto__]',
  )
  const parameter = fc.oneof(
    fc
      .tuple(fc.constantFrom('include', 'limit', 'cursor', 'sort', 'limit', 'x', 'Include'), value)
      .map(([n, v]) => `${n}=${v}`),
    fc.tuple(field, operator, value).map(([f, o, v]) => `filter[${f}]${o}=${v}`),
    nasty,
  )
  const query = fc
    .array(parameter, { maxLength: 4 })
    .map((list) => (list.length === 0 ? '' : `?${list.join('&')}`))
  return fc.tuple(path, query).map(([p, q]) => (p + q).replace(/[\r\n ]/g, (c) => encodeURIComponent(c)))
}

function headers({ keys }: KnownThings): fc.Arbitrary<string[]> {
  const line = (name: string, values: fc.Arbitrary<string>) => values.map((value) => `${name}: ${value}`)
  const plain = nasty.map((text) => text.replace(/[\r\n\0]/g, ''))
  const authorization = fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...keys).map((key) => `Bearer ${key}`) },
    { weight: 1, arbitrary: plain },
    { weight: 1, arbitrary: plain.map((text) => `Bearer ${text}`) },
    { weight: 1, arbitrary: fc.constant('Bearer eyJhbGciOiJub25lIn0.e30.') },
  )
  const media = fc.oneof(
    { weight: 6, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'application/merge-patch+json',
        'text/plain',
        'application/json; charset=latin1',
        ';',
        'a/b/c',
      ),
    },
    { weight: 1, arbitrary: plain },
  )
  const others = fc.oneof(
    line(
      'Idempotency-Key',
      fc.oneof(plain, fc.constantFrom('k1', '"k1"', 'k2', '"', '"a\\"b"', 'k'.repeat(256))),
    ),
    line('If-Match', fc.oneof(plain, fc.constantFrom('*', '"1"', 'W/"1"', '"1", "2"', '"1.abc"', '"'))),
    line('If-None-Match', fc.oneof(plain, fc.constantFrom('*', '"1"', '""'))),
    line(
      'Accept',
      fc.oneof(plain, fc.constantFrom('*/*', 'text/html', 'application/json;q=0', ';;;', ','.repeat(500))),
    ),
    line('X-Forwarded-For', plain),
    line('Forwarded', plain),
    line('X-Request-Id', plain),
    line('Origin', plain),
    line('Expect', fc.constantFrom('100-continue', '200-ok')),
    line('Range', fc.constant('bytes=0-')),
    line('Upgrade', fc.constant('websocket')),
    line('Host', plain),
    fc.tuple(plain, plain).map(([name, value]) => `${name}: ${value}`),
  )
  return fc
    .tuple(
      line('Authorization', authorization),
      line('Content-Type', media),
      fc.array(others, { maxLength: 4 }),
    )
    .map(([auth, type, rest]) => [auth, type, ...rest])
}

function body({ ids }: KnownThings): fc.Arbitrary<Buffer> {
  const id = fc.constantFrom(...ids)
  const scalar = fc.oneof(
    nasty,
    id,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(2 ** 53, -(2 ** 63), 1e308),
    fc.constantFrom(
      '\ud800',
      '\0',
      'EUR',
      'USD',
      'draft',
      'placed',
      'open',
      'a@b.example',
      '2026-01-01T00:00:00Z',
    ),
  )
  const name = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'name',
        'full_name',
        'email',
        'phone',
        'fax',
        'referrer_id',
        'customer_id',
        'client_id',
        'currency',
        'note',
        'status',
        'total',
        'order_id',
        'product_id',
        'quantity',
        'unit_price',
        'amount',
        'reason',
        'reference',
        'sku',
        'title',
        'price',
        'active',
        'id',
        'created_at',
      ),
    },
    { weight: 1, arbitrary: nasty },
  )
  const value = fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  )
  const object = fc.array(fc.tuple(name, value), { maxLength: 8 }).map((pairs) => {
    const members = pairs.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`)
    return Buffer.from(`{${members.join(',')}}`)
  })
  const text = fc.constantFrom(
    '',
    '{',
    '}',
    '[]',
    '""',
    'null',
    '0',
    '{}',
    '{"a":1,}',
    "{'a':1}",
    '\ufeff{}',
    '{"__proto__":{"x":1}}',
    '{"a":1}{"b":2}',
    'NaN',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`,
    '{"name":"\\ud800"}',
    '{"name":"\\u0000"}',
    '{"name":1e999}',
    `{"name":"${'x'.repeat(20_000)}"}`,
    '{"amount":1.0000000000000001e2}',
    '{"quantity":-0}',
  )
  return fc.oneof(
    { weight: 8, arbitrary: object },
    { weight: 2, arbitrary: text.map((chars) => Buffer.from(chars)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  )
}

type Parts = {
  method: string
  target: string
  protocol: string
  headers: string[]
  body: Buffer | null
  framing: string
}

function toBytes({ method, target: url, protocol, headers: lines, body: content, framing }: Parts): Buffer {
  const data = content ?? Buffer.alloc(0)
  const chunked = Buffer.concat([
    Buffer.from(`${data.length.toString(16)}\r\n`),
    data,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
  const framings: { [name: string]: [string[], Buffer] } = {
    length: [[`Content-Length: ${data.length}`], data],
    chunked: [['Transfer-Encoding: chunked'], data.length === 0 ? Buffer.from('0\r\n\r\n') : chunked],
    long: [[`Content-Length: ${data.length + 7}`], data],
    short: [[`Content-Length: ${Math.max(0, data.length - 3)}`], data],
    both: [[`Content-Length: ${data.length}`, 'Transfer-Encoding: chunked'], chunked],
    none: [[], data],
  }
  const [framed, payload] = (content === null ? undefined : framings[framing]) ?? [[], Buffer.alloc(0)]
  const all = ['Host: shop.example', 'Connection: close', ...lines, ...framed]
  const start = Buffer.from(`${method} ${url} ${protocol}\r\n${all.join('\r\n')}\r\n\r\n`, 'utf8')
  return Buffer.concat([start, payload])
}
