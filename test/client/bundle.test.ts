import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

test('the client is at most 6 KB in a browser, minified and compressed, and has nothing of Node or of the engine', async () => {
  const bundle = await rolldown({
    input: join(root, 'src/client/nounkit-client.ts'),
    platform: 'browser',
    // An import that the browser does not have would be kept, and found below.
    external: [/^node:/],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  const [{ code, imports, moduleIds }] = output
  const bytes = gzipSync(code, { level: 9 }).length
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThanOrEqual(6_144)
  expect(imports).toEqual([])
  expect(code).not.toMatch(/\b(?:require|process|Buffer)\b/)
  const folder = join(root, 'src/client/')
  expect(moduleIds.filter((id) => !id.startsWith(folder))).toEqual([])
  console.log(`The client has ${bytes} bytes, minified and compressed (${code.length} before).`)
})

test('the client runs where there is nothing but what browsers, workers, Node, Bun and Deno have', async () => {
  const bundle = await rolldown({ input: join(root, 'src/client/nounkit-client.ts'), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'nounkit', minify: true })
  await bundle.close()
  const { AbortController, AbortSignal, atob, crypto, Headers, Request, Response, setTimeout } = globalThis
  const { clearTimeout, console, TextDecoder, TextDecoderStream, TextEncoder, URL, URLSearchParams } =
    globalThis
  const given = { AbortController, AbortSignal, atob, crypto, Headers, Request, Response, setTimeout }
  const more = { clearTimeout, console, TextDecoder, TextDecoderStream, TextEncoder, URL, URLSearchParams }
  const asked: string[] = []
  const fetch = async (url: string, { method }: RequestInit) => {
    asked.push(`${method} ${url}`)
    return new Response('{"data":{"id":"1"}}', { headers: { 'content-type': 'application/json' } })
  }
  const program = `${output[0].code}; nounkit.client({ url: 'https://api.example', version: 'v2' }).orderItems.create({})`
  expect(await runInNewContext(program, { ...given, ...more, fetch })).toEqual({ id: '1' })
  expect(asked).toEqual(['POST https://api.example/v2/order-items'])
})

test('the client imports types of declarations, and nothing else of the project', () => {
  const shapes = readFileSync(join(root, 'src/client/shape-of.ts'), 'utf8')
  const imports = shapes.match(/^import .*$/gm) ?? []
  expect(imports.length).toBeGreaterThan(3)
  expect(imports.filter((line) => !line.startsWith('import type'))).toEqual([])
})
