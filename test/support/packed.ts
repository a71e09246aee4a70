import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { until } from './until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** The packages as npm would publish them. */
export interface Packed {
  readonly nounkit: string
  readonly creator: string
}

/** Builds and packs once per test run: the first file that asks does it, the others wait. */
export async function packed(): Promise<Packed> {
  const folder = join(inject('runFolder'), 'packed')
  const [done, failed] = [join(folder, 'done'), join(folder, 'failed')]
  if (isFirst(folder)) await pack(folder).catch((error) => writeFileSync(failed, String(error)))
  await until(() => existsSync(done) || existsSync(failed), { within: 170_000, what: 'npm pack' })
  if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'))
  return { nounkit: join(folder, 'nounkit.tgz'), creator: join(folder, 'create-nounkit.tgz') }
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

async function pack(folder: string): Promise<void> {
  await run(process.execPath, ['scripts/build.mjs'], { cwd: root })
  for (const cwd of [root, join(root, 'packages/create-nounkit')]) {
    const { stdout } = await run(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
      {
        cwd,
      },
    )
    const [{ name, filename }] = JSON.parse(stdout) as [{ name: string; filename: string }]
    renameSync(join(folder, filename), join(folder, `${name}.tgz`))
  }
  writeFileSync(join(folder, 'done'), '')
}
