import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compare, contractOf, guideOf, openapiOf } from 'nounkit/contract'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { runHere } from '../cli/in-process.ts'

const root = resolve(import.meta.dirname, '../..')
const frozen = (version: string) =>
  JSON.parse(readFileSync(join(root, `examples/shop/contracts/${version}.json`), 'utf8'))
const contracts = { v1: frozen('v1'), v2: frozen('v2') }

test('contracts, documents, differences and guides are those of the command line', async () => {
  const said = async (...args: string[]) => (await runHere(args, { cwd: root })).stdout.trimEnd()
  expect(openapiOf(shop, 'v1', { contracts })).toEqual(
    JSON.parse(await said('openapi', 'examples/shop', 'v1')),
  )
  expect(guideOf(shop, 'v1', 'v2', { contracts }).trimEnd()).toBe(
    await said('guide', 'examples/shop', 'v1', 'v2'),
  )
  const differences = compare(
    contractOf(shop, 'v1', { contracts }),
    contractOf(shop, undefined, { contracts }),
  )
  const { raw } = JSON.parse(await said('diff', 'examples/shop', 'v1', 'v2', '--json'))
  expect(differences.length).toBeGreaterThan(5)
  expect(differences).toEqual(
    raw.map(({ verdict, where, what }: (typeof differences)[number]) => ({ verdict, where, what })),
  )
  const { hash: _, ...promised } = contracts.v2
  expect(contractOf(shop, 'v2', { contracts })).toEqual(promised)
  expect(compare(contracts.v2, contractOf(shop))).toEqual([])
})

test('what cannot be told is refused with what to write', () => {
  expect(() => contractOf(shop, 'v9')).toThrow('shop has no version "v9". ')
  expect(() => guideOf(shop, 'v2', 'v1')).toThrow('v1 is not newer than v2')
  expect(() => compare(null as never, contractOf(shop))).toThrow('The older one is not a contract.')
  expect(() => compare(contractOf(shop), {} as never)).toThrow('The newer one is not a contract.')
})

test.each(['src/index.ts', 'src/compile/compile.ts', 'src/contract-door.ts'])(
  '%s can be bundled for a browser: nothing of Node is in it, and nothing that serves',
  async (input) => {
    const bundle = await rolldown({
      input: join(root, input),
      platform: 'browser',
      // An import that the browser does not have would be kept, and found below.
      external: [/^node:/],
    })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    await bundle.close()
    const [{ code, imports, moduleIds }] = output
    expect(code.length).toBeGreaterThan(10_000)
    expect(imports).toEqual([])
    expect(code).not.toMatch(/(?<![.\w$])(?:process|Buffer)\./)
    const inside = /\/src\/(?:store|serve|cli|guard|pages|read|write|events|webhooks|lifecycle|transfer)\//
    expect(moduleIds.filter((id) => inside.test(id))).toEqual([])
  },
)
