import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { refuseBrokenPromises } from '../../src/contract/broken-promises.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { readContracts } from '../../src/contract/contract-files.ts'
import { freezeContract, thawContract } from '../../src/contract/freeze.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { refusalText } from '../../src/contract/gate-refusal.ts'
import { publishVersion } from '../../src/contract/publish.ts'
import { type ApiDeclaration, type ApiOptions, api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { immutable, open, readOnly, states, writeOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { type VersionDeclaration, version } from '../../src/declare/version.ts'

type Loose = { readonly [option: string]: unknown }

const fields = {
  name: z.string().max(50),
  note: z.string().optional(),
  status: states('draft', { draft: ['placed'], placed: ['paid'] }),
}
const orders = (over: Loose = {}) =>
  resource('orders', { fields, filter: ['name'], sort: ['name'], ...over } as never)

const apiOf = (
  over: Loose,
  versions: readonly VersionDeclaration[] = [version('v1', { published: '2026-01-01' })],
  more: Partial<ApiOptions> = {},
) => api('small', { resources: [orders(over)], versions, ...more })

const frozen = (over: Loose = {}): ReadonlyMap<string, Contract> => {
  const model = compileApi(apiOf(over))
  return new Map([['v1', contractOf(model, model.head)]])
}

/** What the gate says of a declaration after `frozen()` was published as v1. */
const gate = (declaration: ApiDeclaration, contracts = frozen()): string =>
  checkContracts(compileApi(declaration, { contracts }), contracts).refusals.map(refusalText).join('\n\n')

describe('the newest published version', () => {
  test('passes as it was published, and as it grew', () => {
    expect(gate(apiOf({}))).toBe('')
    const grown = { fields: { ...fields, tip: z.int().optional() }, sort: ['name', 'note'] }
    expect(gate(apiOf(grown))).toBe('')
    const answer = checkContracts(compileApi(apiOf(grown)), frozen())
    expect(answer.grown[0]?.differences.map(({ where, what }) => `${where} ${what}`)).toEqual([
      'orders.tip optional field was added',
      'orders sort note was added',
    ])
  })

  test('may declare one more problem of its hooks, in older versions too, and must keep those it has', () => {
    const hooks = { beforeCreate: () => undefined }
    const full = { full: { status: 409, title: 'It is full' } }
    const closed = { closed: { status: 403, title: 'It is closed' } }
    const published = frozen({ hooks, problems: full })
    expect(gate(apiOf({ hooks, problems: { ...full, ...closed } }), published)).toBe('')
    const versions = [version('v2', { published: '2026-06-01' }), version('v1', { published: '2026-01-01' })]
    const v2 = apiOf({ hooks, problems: { ...full, ...closed } }, versions)
    const model = compileApi(v2, { contracts: published })
    expect(gate(v2, new Map(published).set('v2', contractOf(model, model.head)))).toBe('')
    expect(gate(apiOf({ hooks, problems: closed }), published)).toContain(
      'problem full was removed or became another type',
    )
    const other = { full: { status: 422, title: 'It is full' } }
    expect(gate(apiOf({ hooks, problems: other }), published)).toContain('full: status 409 became 422')
  })

  test('is refused when it breaks, with every difference, its verdict and the change to write', () => {
    const { note: _, ...rest } = fields
    const said = gate(apiOf({ fields: { ...rest, currency: z.string() }, sort: [], limits: { pageMax: 10 } }))
    expect(said).toContain(
      'contracts/v1.json: v1 is published, and these differences would break its consumers:',
    )
    expect(said).toContain('breaking  orders.note  field was removed')
    expect(said).toContain('breaking  orders.currency  required request field was added')
    expect(said).toContain("declare version('v2') before v1 and write into the changes of v1:")
    expect(said).toContain("removeField('orders', 'note', { was: z.string().optional() })")
    expect(said).toContain("addRequiredField('orders', 'currency', { whenAbsent: … })")
    expect(said).toContain("removeSort('orders', 'name')")
    expect(said).toContain("changeLimit('orders', 'pageMax', { was: 100 })")
  })

  test('a field with the same schema under another name is reported as a rename', () => {
    const { name, ...rest } = fields
    const said = gate(apiOf({ fields: { ...rest, title: name }, filter: [], sort: [] }))
    expect(said).toContain("renameField('orders', 'name', 'title')")
    expect(said).not.toContain('removeField')
  })

  test('a new state says which value has no image', () => {
    const status = states('draft', { draft: ['placed'], placed: ['paid'], paid: ['refunded'] })
    const said = gate(apiOf({ fields: { ...fields, status } }))
    expect(said).toContain('breaking  orders.status  value "refunded" was added')
    expect(said).toContain("mapValues('orders', 'status', {}, { onlyInNewer: { refunded: '…' }, why: '…' })")
  })

  test('the lines it prints, completed, are what lets it pass', () => {
    const { note: _, ...rest } = fields
    const changes = [
      change.removeField('orders', 'note', { was: z.string().optional() }),
      change.addRequiredField('orders', 'currency', { whenAbsent: 'EUR' }),
    ]
    const v1 = version('v1', { published: '2026-01-01', changes })
    expect(gate(apiOf({ fields: { ...rest, currency: z.string() } }, [version('v2'), v1]))).toBe('')
  })
})

describe('an older version', () => {
  const v1 = version('v1', { published: '2026-01-01' })
  const both = [version('v2'), v1]

  test('hides what was only added since, without a line', () => {
    const over = {
      fields: { ...fields, tip: z.int().optional(), urgent: z.boolean().default(false) },
      filter: ['name', 'note'],
      sort: ['name', 'note'],
      limits: { pageMax: 500 },
      description: 'Other words.',
    }
    expect(gate(apiOf(over, both))).toBe('')
    const [, older] = compileApi(apiOf(over, both), { contracts: frozen() }).versions
    const view = older?.views.get('orders')
    expect(view?.fields.map(({ name }) => name)).not.toContain('tip')
    expect([...(view?.filters ?? [])]).toEqual(['name'])
    expect(view?.limits.pageMax).toBe(100)
    expect(view?.whenAbsent.get('urgent')).toBe(false)
  })

  test('hides a method, a resource and a relation that came later', () => {
    const contracts = frozen({ methods: ['GET', 'POST'] })
    const later = api('small', {
      resources: [orders(), resource('extras', { fields: { text: z.string() } })],
      versions: both,
    })
    expect(gate(later, contracts)).toBe('')
    const [, older] = compileApi(later, { contracts }).versions
    expect([...(older?.views.keys() ?? [])]).toEqual(['orders'])
    expect([...(older?.views.get('orders')?.methods ?? [])]).toEqual(['GET', 'POST'])
  })

  test('keeps a requirement, a key and moves that were relaxed since', () => {
    const contracts = frozen({ idempotencyKey: 'off', requireIfMatch: true })
    const over = {
      fields: {
        ...fields,
        name: z.string().max(50).default('nameless'),
        status: states('draft', { draft: ['placed', 'paid'], placed: ['paid'] }),
      },
    }
    expect(gate(apiOf(over, both), contracts)).toBe('')
    const view = compileApi(apiOf(over, both), { contracts }).versions[1]?.views.get('orders')
    expect(view?.field.get('name')).toMatchObject({ required: true, default: undefined })
    expect(view?.idempotency.mode).toBe('off')
    expect(view?.requireIfMatch).toBe(true)
    expect(view?.field.get('status')?.states?.moves).toEqual({ draft: ['placed'], placed: ['paid'] })
  })

  const grew = (older: Loose, newer: Loose) => {
    const published = [version('v2', { published: '2026-02-01' }), v1]
    const model = compileApi(apiOf(older, published))
    const contracts = new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
    return { said: gate(apiOf(newer, published), contracts), later: apiOf(newer, published), contracts }
  }
  const freed = (older: Loose, newer: Loose) => {
    const contracts = frozen(older)
    return { said: gate(apiOf(newer, both), contracts), later: apiOf(newer, both), contracts }
  }
  const one = (extra: unknown) => ({ fields: { ...fields, extra } })
  const int = z.int().optional()
  test.each<[string, Loose, Loose]>([
    ['a key that is required', { idempotencyKey: 'required' }, { idempotencyKey: 'optional' }],
    ['a replay that is read anew', { idempotencyKey: { mode: 'optional', body: 'reread' } }, {}],
    ['a read-only field that may be null', one(readOnly(int)), one(readOnly(z.int().default(3)))],
    ['an open enum', one(open(z.enum(['a']))), one(z.enum(['a']))],
  ])('keeps what became freer since, as its contract has it: %s', (_, older, newer) => {
    const { said, later, contracts } = grew(older, newer)
    expect(said).toBe('')
    const model = compileApi(later, { contracts })
    const [head, kept] = model.versions.map((each) => contractOf(model, each).resources.orders)
    expect(kept).toEqual(contracts.get('v1')?.resources.orders)
    expect(head).not.toEqual(kept)
  })

  test.each<[string, Loose, Loose]>([
    ['how long an answer may be kept', {}, { cacheControl: 'private, max-age=5' }],
    ['a field that cannot change', one(immutable(int)), one(int)],
    ['a read-only field', one(readOnly(int)), one(int)],
    ['a read-only field that got a default', one(readOnly(int)), one(z.int().default(3))],
    ['a write-only field', one(writeOnly(int)), one(int)],
  ])('is spared what would break the newest, as its contract has it: %s', (_, older, newer) => {
    expect(gate(apiOf(newer), frozen(older))).toContain(
      "Undo them, or declare version('v2') before v1, which then stays as it was published.",
    )
    const { said, later, contracts } = freed(older, newer)
    expect(said).toBe('')
    const model = compileApi(later, { contracts })
    const [head, kept] = model.versions.map((each) => contractOf(model, each).resources.orders)
    expect(kept).toEqual(contracts.get('v1')?.resources.orders)
    expect(head).not.toEqual(kept)
  })

  test('passes when values need no longer be unique, which breaks no consumer', () => {
    expect(grew({ unique: ['name'] }, {}).said).toBe('')
  })

  test('is refused when it differs, naming the line it lacks', () => {
    const said = gate(apiOf({ fields: { ...fields, currency: z.string() } }, both))
    expect(said).toContain('write into the changes of v1 (what became of it on the way to v2):')
    expect(said).toContain('breaking  orders.currency  required request field was added')
    expect(said).toContain("addRequiredField('orders', 'currency', { whenAbsent: … })")
  })

  test('does not repeat what the newest version is refused for', () => {
    const published = version('v2', { published: '2026-02-01' })
    const model = compileApi(apiOf({}, [published, v1]), { contracts: frozen() })
    const contracts = new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
    const said = gate(apiOf({ sort: [] }, [published, v1]), contracts)
    expect(said.match(/sort name was removed/g)).toHaveLength(1)
    expect(said).toContain("declare version('v3') before v2")
  })

  const inside = (schema: z.ZodType) => ({ fields: { ...fields, doc: schema } })
  test.each([
    ['an object', z.object({ a: z.int() }), z.object({ a: z.int(), b: z.int().optional() }), 'b: was added'],
    [
      'an object in a list',
      z.array(z.object({ a: z.int() })),
      z.array(z.object({ a: z.int(), b: z.int().optional() })),
      '[].b: was added',
    ],
    [
      'what is only shown',
      readOnly(z.object({ a: z.int() }).optional()),
      readOnly(z.object({ a: z.int(), b: z.int() }).optional()),
      'b: was added and is required',
    ],
    [
      'what is only sent',
      writeOnly(z.object({ a: z.int() })),
      writeOnly(z.object({ a: z.int() }).catchall(z.int())),
      'other keys became possible',
    ],
  ])(
    'is refused when keys were added within a JSON value, which cannot be hidden: %s',
    (_, from, to, what) => {
      const published = [version('v2', { published: '2026-02-01' }), v1]
      const model = compileApi(apiOf(inside(from), published))
      const contracts = new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
      expect(gate(apiOf(inside(from), published), contracts)).toBe('')
      const grown = checkContracts(compileApi(apiOf(inside(to), published), { contracts }), contracts)
      expect(grown.grown.map((one) => one.version)).toEqual(['v2'])
      const [refusal, ...more] = grown.refusals
      expect([refusal?.version, more]).toEqual(['v1', []])
      expect(refusalText(refusal as never).split('\n')).toEqual([
        'contracts/v1.json: v1 is no longer the newest version and must stay as it is, but differs:',
        `  additive  orders.doc  ${what}`,
        'No change declares them by itself:',
        `  // orders.doc: ${what}; nothing within a JSON value can be hidden: put it into a field of its own beside orders.doc`,
      ])
    },
  )

  test('passes when a key got a name within a JSON value that had other keys of its form, and not of another', () => {
    const open = z.object({ a: z.int() }).catchall(z.int())
    const contracts = frozen(inside(open))
    expect(gate(apiOf(inside(open.extend({ b: z.int().optional() })), both), contracts)).toBe('')
    expect(gate(apiOf(inside(open.extend({ b: z.string().optional() })), both), contracts)).toContain(
      'breaking  orders.doc  b: type integer became string',
    )
  })

  test('may announce its end, and not bring it forward', () => {
    const dated = (sunset: string) =>
      version('v1', { published: '2026-01-01', deprecated: '2026-02-01', sunset })
    const model = compileApi(apiOf({}, [version('v2'), dated('2027-01-01')]), { contracts: frozen() })
    expect(checkContracts(model, frozen()).refusals).toEqual([])
    const announced = new Map([['v1', contractOf(model, model.versions[1] ?? model.head)]])
    expect(gate(apiOf({}, [version('v2'), dated('2026-12-01')]), announced)).toContain(
      'breaking  sunset  moved from 2027-01-01 to 2026-12-01',
    )
  })

  test('publishes its end before it is served, so that it cannot be brought forward unseen', async () => {
    const dated = (sunset: string) =>
      apiOf({}, [version('v2'), version('v1', { published: '2026-01-01', deprecated: '2026-02-01', sunset })])
    const refused = (sunset: string, contracts: ReadonlyMap<string, Contract>) => () =>
      refuseBrokenPromises(compileApi(dated(sunset), { contracts }), { contracts, refusals: [] })
    expect(refused('2027-01-01', frozen())).toThrow(
      [
        'contracts/v1.json: the end of v1 is declared, but not published:',
        '  additive  deprecated  was set to 2026-02-01',
        '  additive  sunset  was set to 2027-01-01',
        'Run "nounkit publish v1" and commit the file. Every response announces these dates.',
      ].join('\n'),
    )
    const folder = await mkdtemp(join(tmpdir(), 'nounkit-dates-'))
    const model = compileApi(dated('2027-01-01'), { contracts: frozen() })
    await publishVersion(model, 'v1', folder, { contracts: frozen(), refusals: [] })
    const { contracts } = await readContracts(folder)
    await rm(folder, { recursive: true })
    expect(refused('2027-01-01', contracts)).not.toThrow()
    expect(refused('2027-06-01', contracts)).toThrow('additive  sunset  moved from 2027-01-01 to 2027-06-01')
    expect(refused('2026-12-01', contracts)).toThrow('breaking  sunset  moved from 2027-01-01 to 2026-12-01')
  })
})

describe('a published version', () => {
  test('says how tokens name callers, and nothing of a deployment', () => {
    const claims = { account: 'account', consumer: 'client_id', scopes: 'scope' }
    const of = (issuer: string, account: string, origin: string) =>
      apiOf({}, undefined, {
        tokens: { jwks: `${issuer}/jwks`, issuer, audience: 'small', claims: { ...claims, account } },
        cors: { origins: [origin] },
      })
    const model = compileApi(of('https://old.example', 'account', 'https://one.example'))
    const contracts = new Map([['v1', contractOf(model, model.head)]])
    const moved = compileApi(of('https://id.example', 'account', 'https://two.example'))
    expect(checkContracts(moved, contracts)).toEqual({ broken: new Set(), refusals: [], grown: [] })
    expect(gate(of('https://id.example', 'tenant', 'https://two.example'), contracts)).toContain(
      'tokens.claims.account  account became tenant',
    )
  })

  test('whose contract is missing is refused', () => {
    expect(gate(apiOf({}), new Map())).toContain('v1 is published, but its contract is missing.')
  })

  test('that is no longer declared is refused', () => {
    const contracts = new Map([...frozen(), ...frozen()].map(([, one]) => ['v0', { ...one, version: 'v0' }]))
    expect(gate(apiOf({}, [version('v1')]), contracts)).toContain(
      'v0 was published, but is no longer declared.',
    )
  })

  test('of another API is refused', () => {
    const contracts = new Map([...frozen()].map(([name, one]) => [name, { ...one, api: 'other' }]))
    expect(gate(apiOf({}), contracts)).toContain('it is a contract of the API "other", not of "small".')
  })

  test('cannot give its unversioned paths to another', () => {
    const pinned = compileApi(apiOf({}, undefined, { unversioned: 'v1' }))
    const contracts = new Map([['v1', contractOf(pinned, pinned.head)]])
    const moved = apiOf({}, [version('v2'), version('v1', { published: '2026-01-01' })], {
      unversioned: 'v2',
    })
    expect(gate(moved, contracts)).toContain('paths without a version are served by another version')
  })
})

describe('the file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nounkit-contracts-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('is the same text for the same promise, and reads back', () => {
    const contract = frozen().get('v1')
    if (!contract) throw new Error('no contract')
    const text = freezeContract(contract)
    expect(freezeContract(structuredClone(contract))).toBe(text)
    expect(thawContract(text, 'v1').contract).toEqual(contract)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(180)
  })

  test('is written by publishing, grows by publishing again, and is not overwritten by a break', async () => {
    const publish = async (over: Loose) => {
      const read = await readContracts(folder)
      return publishVersion(compileApi(apiOf(over), { contracts: read.contracts }), 'v1', folder, read)
    }
    expect(await publish({})).toMatchObject({ differences: [], refusals: [] })
    const grown = await publish({ sort: ['name', 'note'] })
    expect(grown.differences.map(({ what }) => what)).toEqual(['sort note was added'])
    const before = await readFile(join(folder, 'v1.json'), 'utf8')
    const broken = await publish({})
    expect(broken.path).toBeNull()
    expect(broken.refusals[0]?.differences.map(({ what }) => what)).toEqual(['sort note was removed'])
    expect(await readFile(join(folder, 'v1.json'), 'utf8')).toBe(before)
    expect(await readdir(folder)).toEqual(['v1.json'])
  })

  test('edited by hand is refused, and nothing else is said of that version', async () => {
    const path = join(folder, 'v1.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"maxLength": 50', '"maxLength": 60'))
    const read = await readContracts(folder)
    expect(() => refuseBrokenPromises(compileApi(apiOf({})), read)).toThrow(
      'contracts/v1.json: it was edited by hand: its hash does not match.\nUndo the edit',
    )
    expect(read.contracts.size).toBe(0)
  })

  test.each([
    ['half a file', (text: string) => text.slice(0, 300)],
    ['nothing', () => ''],
    ['null', () => 'null'],
    ['a list', () => '[]'],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['another format', (text: string) => text.replace('"format": 2', '"format": 9')],
    ['another promise', (text: string) => text.replace('"maxLength": 50', '"maxLength": 60')],
  ])('with %s is not overwritten by publishing it, nor another version', async (_, damage) => {
    const model = compileApi(apiOf({}, [version('v2'), version('v1', { published: '2026-01-01' })]))
    const text = damage(freezeContract(contractOf(model, model.versions[1] ?? model.head)))
    await writeFile(join(folder, 'v1.json'), text)
    for (const name of ['v1', 'v2']) {
      const { path, refusals } = await publishVersion(model, name, folder, await readContracts(folder))
      expect([path, refusals.map(({ file }) => file)]).toEqual([null, ['v1.json']])
    }
    expect(await readdir(folder)).toEqual(['v1.json'])
    expect(await readFile(join(folder, 'v1.json'), 'utf8')).toBe(text)
  })

  test('of an older version is not overwritten by what breaks the newer one too', async () => {
    const versions = [version('v2', { published: '2026-02-01' }), version('v1', { published: '2026-01-01' })]
    const inBoth = await mkdtemp(join(tmpdir(), 'nounkit-contracts-'))
    const publish = async (name: string, over: Loose) => {
      const read = await readContracts(inBoth)
      const model = compileApi(apiOf(over, versions), { contracts: read.contracts })
      return publishVersion(model, name, inBoth, read)
    }
    await publish('v1', {})
    await publish('v2', {})
    const before = await readFile(join(inBoth, 'v1.json'), 'utf8')
    const broken = await publish('v1', { limits: { pageMax: 10 } })
    expect(broken.path).toBeNull()
    expect(broken.refusals.flatMap(({ differences }) => differences.map(({ what }) => what))).toEqual([
      '25 was lowered to 10',
      '100 was lowered to 10',
    ])
    expect(await readFile(join(inBoth, 'v1.json'), 'utf8')).toBe(before)
    await rm(inBoth, { recursive: true })
  })

  test.each([
    ['{', 'it is not valid JSON.'],
    ['{"format":1}', 'it is not a contract of a format this engine knows.'],
    ['null', 'it is not a contract of a format this engine knows.'],
  ])('that is no contract is refused: %s', (text, what) => {
    expect(thawContract(text, 'v1').fault?.what).toBe(what)
  })

  test('that is a folder is refused as one that cannot be read', async () => {
    await rm(join(folder, 'v1.json'))
    await mkdir(join(folder, 'v1.json'))
    const { refusals } = await readContracts(folder)
    expect(refusals.map(({ file, what }) => `${file}: ${what}`)).toEqual([
      'v1.json: it cannot be read (EISDIR).',
    ])
  })
})
