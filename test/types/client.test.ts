import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { agreement, declaration, program } from './client-program.ts'
import { root, typedFolder } from './typed-folder.ts'

let folder: string
beforeAll(() => {
  folder = typedFolder(['api.ts', 'use.ts', 'agreement.ts'])
  writeFileSync(join(folder, 'api.ts'), declaration)
  writeFileSync(join(folder, 'agreement.ts'), '')
})

const mark = / \/\/!$/

const mistakes = (): string =>
  spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--checkers', '1'], {
    cwd: folder,
    encoding: 'utf8',
  }).stdout

/** The lines of the program that tsc finds mistakes in. */
const wrongLines = (): readonly number[] => {
  const found = [...mistakes().matchAll(/^([\w.]+)\((\d+),.*$/gm)]
  const elsewhere = found.filter(([, file]) => file !== 'use.ts').map(([line]) => line)
  expect(elsewhere).toEqual([])
  return [...new Set(found.map(([, , line]) => Number(line)))]
}

test('types know what an answer has and what a call takes, and nothing else', () => {
  writeFileSync(join(folder, 'use.ts'), program)
  const lines = program.split('\n')
  const wrong = wrongLines().map((number) => lines[number - 1])
  expect(wrong).toEqual(lines.filter((line) => mark.test(line)))
})

test('the types of a declaration and those of its generated file are the same', async () => {
  const { code, stdout, stderr } = await runHere(['client', folder])
  expect([code, stderr]).toEqual([0, ''])
  writeFileSync(join(folder, 'trade-client.ts'), stdout)
  writeFileSync(join(folder, 'agreement.ts'), agreement)
  writeFileSync(join(folder, 'use.ts'), '')
  expect(mistakes()).toBe('')
})

test('the declaration of these types can be served', () => {
  const told = execFileSync(
    process.execPath,
    ['--conditions=nounkit-source', join(root, 'test/types/check-folders.ts'), folder],
    { encoding: 'utf8' },
  )
  expect(told).toBe('""\n')
})
