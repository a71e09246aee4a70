import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { projectName } from '../../src/cli/new-project.ts'
import { shell } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

const files = [
  '.dockerignore',
  '.github',
  '.gitignore',
  'Dockerfile',
  'api.test.ts',
  'api.ts',
  'package.json',
  'tsconfig.json',
]

test('a new project is written into a folder that is made, and the next commands are printed', async () => {
  const cwd = temporaryFolder()
  const { code, stdout, stderr } = await run(['init', 'my errands/of 2027'], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const folder = join(cwd, 'my errands/of 2027')
  expect(readdirSync(folder).sort()).toEqual(files)
  expect(stdout).toMatch(
    /Next:\n {2}cd 'my errands\/of 2027'\n {2}npm install\n {2}npm run dev\n\nThe tutorial: \S+\.md\n$/,
  )
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'of-2027',
    type: 'module',
    scripts: { dev: expect.anything(), start: expect.anything(), test: expect.anything() },
  })
  expect(readFileSync(join(folder, '.github/workflows/check.yml'), 'utf8')).toContain('nounkit check')
})

test('the current folder may be named, and a folder with nothing but a git repository is empty', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.git'))
  const { code, stdout } = await runHere(['init', '.'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/Next:\n {2}npm install/)
  expect(readdirSync(cwd).sort()).toEqual(['.dockerignore', '.git', ...files.slice(1)])
})

test('without a folder, a terminal is asked, --yes takes the usual one, and a program is told what to write', async () => {
  const cwd = temporaryFolder()
  const refused = await runHere(['init'], { cwd })
  expect(isMistake(refused)).toBe(true)
  expect(refused.stderr).toMatch(/^Which folder\? Write: nounkit init my-api/)
  expect(await runHere(['init', '--yes'], { cwd })).toMatchObject({ code: 0 })
  expect(readdirSync(cwd)).toEqual(['my-api'])
  const bin = fileURLToPath(new URL('../../bin/nounkit.js', import.meta.url))
  const asked = shell(`script -qec '${process.execPath} ${bin} init' /dev/null`, { cwd, input: 'errands\n' })
  expect(await asked.ended).toEqual({ code: 0, signal: null })
  expect(asked.output).toContain('Folder of the new project (my-api): ')
  expect(readdirSync(cwd).sort()).toEqual(['errands', 'my-api'])
})

test('no file that is there is replaced: it is named, and nothing is written; other files stay', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'api.ts'), 'mine')
  writeFileSync(join(cwd, 'notes.txt'), 'mine')
  const refused = await runHere(['init', '.'], { cwd })
  expect(isMistake(refused)).toBe(true)
  expect(refused.stderr).toBe('"." has api.ts already. Choose another folder, or move it away.\n')
  expect(readdirSync(cwd).sort()).toEqual(['api.ts', 'notes.txt'])
  renameSync(join(cwd, 'api.ts'), join(cwd, 'old-api.ts'))
  expect((await runHere(['init', '.'], { cwd })).code).toBe(0)
  expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('mine')
  expect(readFileSync(join(cwd, 'api.ts'), 'utf8')).toContain('export default api(')
})

test.each([
  ['', /^"" is no name for a folder\. Write: nounkit init my-api\n/],
  ['line\nbreak', /^"line\\nbreak" is no name/],
  ['\u001b[31mred', /is no name/],
  ['file/below', /^"file\/below" cannot be written \(ENOTDIR/],
  ['/proc/not/a/folder', /^"\/proc\/not\/a\/folder" cannot be written \(ENOENT/],
  ['x'.repeat(300), /cannot be written \(ENAMETOOLONG/],
])('a folder that cannot be made is refused in a sentence: %j', async (name, message) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'file'), '')
  const refused = await runHere(['init', name], { cwd })
  expect(isMistake(refused), refused.stderr).toBe(true)
  expect(refused.stderr).toMatch(message)
  expect(readdirSync(cwd)).toEqual(['file'])
})

test.each([
  ['errands', 'errands'],
  ['My Errands!', 'my-errands'],
  ["Où est l'API?", 'ou-est-l-api'],
  ['日本', 'my-api'],
  ["'); process.exit() //", 'process-exit'],
  ['$(reboot)', 'reboot'],
  ['nounkit', 'nounkit-api'],
  ['node_modules', 'node-modules'],
  ['..', 'my-api'],
  ['123', 'api-123'],
  ['_2 go', 'api-2-go'],
  [`${'a'.repeat(49)}-b`, 'a'.repeat(49)],
])('a project in the folder %j is named %j', (folder, name) => {
  expect(projectName(folder)).toBe(name)
})
