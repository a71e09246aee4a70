import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { api, belongsTo, decimal, hasMany, needsScope, open, resource, sum, writeOnly } from 'nounkit'
import { testApi } from 'nounkit/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import library from '../../examples/library/api.ts'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { readContracts } from '../../src/contract/contract-files.ts'
import { clientFile, clientParts } from '../../src/contract/typescript/client-file.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { caseText, declarationOf, gateCase } from '../support/gate-plans.ts'
import { gateSeed } from '../support/gate-servers.ts'

// What a server answers is written down as values of the types that a generated client has for it, and the compiler says whether they fit: a
// member that is missing, or one more, does not.

const root = resolve(import.meta.dirname, '../..')
const parts = clientParts.map((part) => readFileSync(join(root, 'src/client', part), 'utf8'))

const frozen = async (example: string) => (await readContracts(join(root, example, 'contracts'))).contracts

const uuid = (n: number): string => `01980000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** What neither the examples nor the random declarations have. */
const rich: ApiDeclaration = api('rich', {
  resources: [
    resource('tags', { fields: { name: z.string() }, shared: true }),
    resource('taggings', { fields: {}, relations: { note: belongsTo('notes'), tag: belongsTo('tags') } }),
    resource('notes', {
      fields: {
        price: decimal({ scale: 2 }),
        rebate: decimal({ scale: 4 }).nullable(),
        total: sum<string>('lines', 'price'),
        risk: needsScope('notes:risk', z.int().optional()),
        pin: writeOnly(z.string()),
        place: z.object({ street: z.string(), city: z.string().optional() }).optional(),
        stars: z.array(z.number()),
        plan: open(z.enum(['free', 'paid'])),
      },
      relations: {
        tags: hasMany('tags', { through: 'taggings' }),
        lines: hasMany('lines'),
        parent: belongsTo('notes', { optional: true }),
        secret: belongsTo('secrets', { optional: true }),
      },
      include: ['tags', 'lines', 'parent', 'parent.tags', 'secret'],
    }),
    resource('lines', {
      fields: { price: decimal({ scale: 2 }) },
      relations: { note: belongsTo('notes') },
      include: ['note', 'note.tags', 'note.secret'],
    }),
    resource('secrets', { fields: { text: z.string() }, rules: { read: ({ row }) => row.text.is('open') } }),
  ],
  scopes: { 'notes:risk': 'See risks.' },
  seed: {
    accounts: ['acme'],
    demoKeys: [{ account: 'acme', name: 'all', scopes: ['notes:risk'] }],
    account: (account) => [
      { resource: 'secrets', values: { id: uuid(1), text: 'open' } },
      { resource: 'secrets', values: { id: uuid(2), text: 'hidden' } },
      ...[10, 11].map((id) => ({
        resource: 'notes',
        values: {
          ...{
            id: uuid(id),
            price: '12.50',
            pin: account,
            stars: [1, 2.5],
            plan: 'free',
            risk: id === 10 ? 3 : null,
          },
          ...{ rebate: id === 10 ? '0.1250' : null, place: id === 10 ? { street: 'x' } : null },
          ...{ parent_id: id === 10 ? null : uuid(10), secret_id: uuid(id - 9) },
        },
      })),
      { resource: 'lines', values: { id: uuid(20), price: '1.25', note_id: uuid(10) } },
      { resource: 'taggings', values: { id: uuid(21), note_id: uuid(10), tag_id: uuid(30) } },
    ],
    shared: () => [{ resource: 'tags', values: { id: uuid(30), name: 'red' } }],
  },
})

interface Answered {
  readonly contract: Contract
  /** Row<…> → rows. */
  readonly rows: readonly (readonly [type: string, row: object])[]
}

/** Rows of all collections of all versions, with nothing included, with each path, and with all. */
async function answersOf(
  declaration: ApiDeclaration,
  contracts: ReadonlyMap<string, Contract> = new Map(),
): Promise<readonly Answered[]> {
  const model = compileApi(declaration, { contracts })
  const api = await testApi(declaration, { contracts })
  const account = declaration.seed?.accounts?.[0] ?? 'acme'
  const key = await api.key(account, { scopes: ['*', ...(declaration.seed?.demoKeys?.[0]?.scopes ?? [])] })
  const answered = []
  for (const version of model.versions) {
    const contract = contractOf(model, version)
    const rows: [string, object][] = []
    for (const [name, { include }] of Object.entries(contract.resources)) {
      if (contract.paths[`/${name}`]?.GET === undefined || name === 'events') continue
      for (const paths of [[], ...include.map((path) => [path]), include]) {
        const query = paths.length === 0 ? '' : `&include=${paths.join()}`
        const response = await api.fetch(`/${version.name}/${name}?limit=2${query}`, {
          headers: { Authorization: `Bearer ${key}` },
        })
        // A declaration can allow more paths than one call may have.
        const { data = [] } = (await response.json()) as { data?: readonly object[] }
        const type = `Row<${JSON.stringify(name)}, ${paths.map((path) => JSON.stringify(path)).join(' | ') || 'never'}>`
        for (const row of data) rows.push([type, row])
      }
    }
    answered.push({ contract, rows })
  }
  await api.close()
  return answered
}

/** What the compiler says of the files, under its strictest settings. */
function mistakesIn(folder: string, files: readonly string[]): string {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
  const target = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--module', 'nodenext']
  const tsc = join(root, 'node_modules/.bin/tsc')
  const args = ['--ignoreConfig', '--noEmit', '--checkers', '1', '--allowImportingTsExtensions']
  return spawnSync(tsc, [...args, ...strict, ...target, ...files], { cwd: folder, encoding: 'utf8' }).stdout
}

const compiles = (declaration: ApiDeclaration): boolean => {
  try {
    compileApi(declaration)
    return true
  } catch (error) {
    if (error instanceof Mistakes) return false
    throw error
  }
}

test('the answers of any API fit the types of its client, and nothing else does', async () => {
  const runs = process.env.NOUNKIT_NIGHTLY === '1' ? 100 : 8
  const seed = Date.now()
  const cases = fc
    .sample(gateCase, { numRuns: 5 * runs, seed })
    .filter(({ before }) => compiles(declarationOf(before)))
    .slice(0, runs)
  const answered = [
    ...(await answersOf(shop, await frozen('examples/shop'))),
    ...(await answersOf(library, await frozen('examples/library'))),
    ...(await answersOf(rich)),
  ]
  for (const { before } of cases) {
    const declaration = declarationOf(before)
    const model = compileApi(declaration)
    answered.push(...(await answersOf({ ...declaration, seed: gateSeed(model, model) })))
  }
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-answers-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    let written = 0
    const files = answered.flatMap(({ contract, rows }, at) => {
      const values = rows.map(([type, row], index) => [
        `export const row${index}: ${type} = ${JSON.stringify(row)}`,
        '// @ts-expect-error: a member that the types do not know',
        `export const other${index}: ${type} = ${JSON.stringify({ ...row, no_such_field: 1 })}`,
      ])
      written += rows.length
      writeFileSync(join(folder, `client${at}.ts`), clientFile(contract, parts))
      writeFileSync(
        join(folder, `rows${at}.ts`),
        `import type { Row } from './client${at}.ts'\n${values.flat().join('\n')}`,
      )
      return [`rows${at}.ts`]
    })
    expect(written).toBeGreaterThan(100)
    expect(mistakesIn(folder, files), `seed ${seed}: ${cases.map(caseText).join('\n\n')}`).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
