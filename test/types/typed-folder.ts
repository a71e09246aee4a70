import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '../support/databases.ts'

export const root = resolve(import.meta.dirname, '../..')

/** A user's project without files of its own, with the tsconfig.json of a new project for these files. */
export function typedFolder(files: readonly string[]): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/nounkit'))
  for (const name of ['zod', '@types', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const { compilerOptions } = JSON.parse(
    readFileSync(join(root, 'template/tsconfig.json'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''),
  )
  const options = { ...compilerOptions, customConditions: ['nounkit-source'], pretty: false }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
  return folder
}
