import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import own from '../../package.json' with { type: 'json' }
import creator from '../../packages/create-nounkit/package.json' with { type: 'json' }
import { brokenLinks } from '../docs/broken-links.ts'
import { machinePath, type UserMachine, userMachine } from '../support/user-machine.ts'

const major = (node: string): number =>
  Number(spawnSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }).stdout)
const tooOld = machinePath()
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => existsSync(node) && major(node) < 24)

let machine: UserMachine
beforeAll(async () => {
  machine = await userMachine()
  await machine.run('npm init -y && npm install nounkit')
})

describe('npm install nounkit in an empty project', () => {
  const installed = (path: string): string => join(machine.folder, 'node_modules', path)

  test('adds fewer than 30 packages and less than 25 MB', () => {
    const { packages } = JSON.parse(readFileSync(installed('.package-lock.json'), 'utf8'))
    expect(Object.keys(packages).length).toBeLessThan(30)
    const files = globSync('**/*', { cwd: installed('.') }).map((path) => statSync(installed(path)))
    const bytes = files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0)
    expect(bytes / 1_000_000).toBeLessThan(25)
  })

  test('gives a command that runs on the Node of the user', async () => {
    expect(await machine.run('npx nounkit --version')).toBe(`${own.version}\n`)
  })

  test.skipIf(!tooOld)('a Node that is too old is named in one sentence, with exit code 1', () => {
    const ran = spawnSync(tooOld ?? '', [installed('nounkit/bin/nounkit.js'), 'help'], { encoding: 'utf8' })
    expect(ran).toMatchObject({ status: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^nounkit needs Node 24 or newer, and this is Node \d+\S+\. Install .*\n$/)
  })

  test('brings the documents, and no link in them leads out of the package', async () => {
    const folder = installed('nounkit')
    const files = globSync('**/*.md', { cwd: folder, exclude: ['dist/**'] })
    expect(files).toContain('docs/tutorial/first-api.md')
    expect(brokenLinks(folder, files)).toEqual([])
    expect(await machine.run('npx nounkit help')).toContain(`\nDocuments: ${join(folder, 'docs')}\n`)
  })

  test('no door shows anything of the inside in its types', () => {
    const folder = installed('nounkit/dist')
    const reached = new Set<string>()
    const visit = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      for (const [, path = ''] of readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:from|import\() ?['"](\.[^'"]+)['"]/g,
      ))
        visit(join(dirname(file), path).replace(/\.[jt]s$/, '.d.ts'))
    }
    const doors = Object.values(own.exports).flatMap((door) => (typeof door === 'string' ? [] : [door.types]))
    for (const door of doors) visit(relative('dist', door))
    expect(reached.size).toBeGreaterThan(30)
    const shown =
      /^(?:(?:declare|client)\/|(?:index|clock|[a-z]+-door|server-settings|in-process-service|test-types|kinds\/decimal-field)\.d\.ts$)/
    expect([...reached].filter((file) => !shown.test(file))).toEqual([])
  })

  test('brings the licences of the programs that are bundled', () => {
    const text = readFileSync(installed('nounkit/dist/vendor/THIRD-PARTY-LICENSES'), 'utf8')
    for (const name of ['@scalar/api-reference', '@scalar/icons', '@hpcc-js/wasm-graphviz', 'Phosphor Icons'])
      expect(text).toContain(`\n${name} `)
    expect(text).toContain('Permission is hereby granted, free of charge')
  })
})

test('create-nounkit installs the nounkit of its own version', () => {
  expect([creator.version, creator.dependencies.nounkit]).toEqual([own.version, own.version])
})
