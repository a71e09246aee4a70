import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { visit } from '../browser/visitor.ts'
import { launchChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { type UserMachine, userMachine } from '../support/user-machine.ts'

let machine: UserMachine
beforeAll(async () => {
  machine = await userMachine()
})

describe('npx nounkit init', () => {
  beforeAll(async () => {
    await machine.run('npx nounkit init errands --yes')
    await machine.run('npm install', 'errands')
  })

  test('writes a project that has sound types, no mistakes, and passes its own test', async () => {
    expect(await machine.run('npm run check', 'errands')).toContain('No mistakes, no broken promises.')
    expect(await machine.run('npm test', 'errands')).toMatch(/^(# |ℹ )pass 3$/m)
  })

  test('its test passes too once the nouns are replaced, and says which parts to write anew', async () => {
    const file = join(machine.folder, 'errands/api.ts')
    const declared = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      `import { api, resource } from 'nounkit'
import { z } from 'zod'
export default api('water', { resources: [resource('wells', { fields: { name: z.string() } })] })
`,
    )
    const told = await machine.run('npm test', 'errands')
    writeFileSync(file, declared)
    expect(told).toMatch(/^(# |ℹ )pass 1$/m)
    expect(told).toContain('projects and tasks are gone')
  })

  test('writes a project that npm run dev serves, with its pages', async () => {
    const port = await freePort()
    const { scripts } = JSON.parse(readFileSync(join(machine.folder, 'errands/package.json'), 'utf8'))
    // As npm runs it. Below npm is a shell that keeps signals to itself, so a test could not end the server.
    const line = `PATH="$PWD/node_modules/.bin:$PATH" PORT=${port} exec ${scripts.dev}`
    const server = machine.start(line, 'errands')
    const [, key = ''] = await server.line(/acme +(nk_\w+)/)
    await server.line(/curl .*projects'/)
    const curls = server.output.match(/^ {2}curl .*$/gm) ?? []
    expect(curls.length).toBeGreaterThanOrEqual(2)
    for (const line of curls) expect(await machine.run(line)).toMatch(/^\{"data":/)

    const open = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { Authorization: `Bearer ${key}` },
      })
      expect([path, response.status]).toEqual([path, 200])
      return response.text()
    }
    const page = await open('/docs')
    const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '')
    expect(files.some((file) => /\/scalar-\d[^/]+\/standalone\.esm\.js$/.test(file))).toBe(true)
    for (const file of files) expect((await open(file)).length).toBeGreaterThan(0)
    expect(await open('/docs/model')).toContain('<svg class="picture diagram')

    const browser = await launchChromium()
    const visitor = await visit(browser, `http://127.0.0.1:${port}`)
    await visitor.open('/docs')
    await visitor.page.getByRole('heading', { level: 1, name: 'errands' }).waitFor()
    await visitor.page.getByRole('link', { name: 'tasks', exact: true }).first().waitFor()
    expect(visitor.faults).toEqual([])
    await browser.close()
    await server.kill()
  })
})

test('npm create nounkit writes the same project', async () => {
  await machine.run('npm create nounkit errands-too -- --yes')
  const files = (folder: string) =>
    readdirSync(join(machine.folder, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => !/^(node_modules|package-lock|.*\.db)/.test(path))
      .sort()
  expect(files('errands-too')).toEqual(files('errands'))
  expect(existsSync(join(machine.folder, 'errands-too/.gitignore'))).toBe(true)
  expect(readFileSync(join(machine.folder, 'errands-too/api.ts'), 'utf8')).toContain("api('errands-too', {")
})
