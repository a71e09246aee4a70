import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { nodeScript } from '../support/child.ts'
import { root, typedFolder } from './typed-folder.ts'
import { type Typo, typos, typosInCode } from './typos.ts'

const all: { readonly [what: string]: Typo } = { ...typos, ...typosInCode }
const names = Object.keys(all)
const folderOf = (what: string): string => `typo-${names.indexOf(what)}`

const examples = ['examples/shop', 'examples/library', 'template']
const clinic = join(root, 'test/types/clinic')

/**
 * A folder for each typo, with the clinic in which it is made, and one without any, `right`. All other files are links to those of
 * `right`, so that they are checked once.
 */
function clinics(): string {
  const projects = ['right', ...examples.map((name) => basename(name)), ...names.map(folderOf)]
  const folder = typedFolder(projects.map((name) => `${name}/api.ts`))
  cpSync(clinic, join(folder, 'right'), { recursive: true })
  for (const example of examples)
    cpSync(join(root, example), join(folder, basename(example)), { recursive: true })
  for (const what of names) makeTypo(join(folder, 'right'), join(folder, folderOf(what)), what)
  return folder
}

function makeTypo(from: string, to: string, what: string): void {
  const { file, right, wrong } = all[what] as Typo
  mkdirSync(to)
  for (const name of readdirSync(from))
    if (name === 'api.ts') cpSync(join(from, name), join(to, name))
    else if (name !== file) symlinkSync(join(from, name), join(to, name))
  const text = readFileSync(join(from, file), 'utf8')
  expect(text.split(right), `${what}: "${right}" stands once in ${file}`).toHaveLength(2)
  writeFileSync(join(to, file), text.replace(right, wrong))
}

interface Found {
  /** `visits.ts:12` */
  readonly at: string
  readonly message: string
}

/** The errors of TypeScript, by folder. */
function typeErrors(folder: string): Promise<Map<string, Found[]>> {
  return new Promise((done) => {
    const tsc = join(root, 'node_modules/.bin/tsc')
    execFile(tsc, ['-p', folder, '--checkers', '1'], { cwd: folder, maxBuffer: 1e8 }, (_, told) => {
      const found = new Map<string, Found[]>()
      for (const error of told.split(/\n(?=\S)/)) {
        const [, name, file, line] = /^([\w-]+)\/([\w.]+)\((\d+),/.exec(error) ?? []
        if (name === undefined) continue
        found.set(name, [...(found.get(name) ?? []), { at: `${file}:${line}`, message: error }])
      }
      done(found)
    })
  })
}

const lineOf = ({ file, right, line = right }: Typo): string => {
  const [before = ''] = readFileSync(join(clinic, file), 'utf8').split(line)
  return `${file}:${before.split('\n').length}`
}

let byTypes: Map<string, Found[]>
let byCheck: Map<string, string>

beforeAll(async () => {
  const folder = clinics()
  const folders = ['right', ...names.map(folderOf)]
  const script = nodeScript(
    join(root, 'test/types/check-folders.ts'),
    folders.map((name) => join(folder, name)),
  )
  byTypes = await typeErrors(folder)
  await script.ended
  const told = script.stdout.trimEnd().split('\n')
  byCheck = new Map(folders.map((name, index) => [name, JSON.parse(told[index] ?? '""')]))
})

test('declarations without typos have no mistakes', () => {
  for (const name of ['right', 'shop', 'library', 'template']) expect(byTypes.get(name)).toBeUndefined()
  expect(byCheck.get('right')).toBe('')
})

test('of forty-five typos TypeScript finds forty-one or more', () => {
  const found = Object.keys(typos).filter((what) => byTypes.has(folderOf(what)))
  expect(Object.keys(typos)).toHaveLength(45)
  expect(found.length).toBeGreaterThanOrEqual(41)
})

describe.each(Object.entries(all))('%s', (what, typo) => {
  test.runIf(typo.reported !== 'not')('is told by TypeScript where it is, with what is allowed', () => {
    const [first] = byTypes.get(folderOf(what)) ?? []
    if (typo.reported === 'here') expect(first?.at).toBe(lineOf(typo))
    else expect(first?.at).toMatch(/^api\.ts:/)
    expect(first?.message).toContain(typo.says ?? '')
    // What `api(…)` says is one line, and the sentence stands at its beginning. So is what `resource(…)` says of a field that a hook returns.
    if (typo.reported === 'in api.ts' || typo.line?.startsWith('resource('))
      expect(first?.message.length).toBeLessThan(420)
  })

  test.runIf(typo.inCode !== true)('is told by nounkit check', () => {
    expect(byCheck.get(folderOf(what))).not.toBe('')
  })
})
