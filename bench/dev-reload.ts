// `node bench/dev-reload.ts [changes]`: the milliseconds from a saved file to the API that answers for it, in `nounkit dev` with 50
// resources in a file each, on SQLite. Where other programs use the machine too, the CPU time counts, which Linux tells.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const changes = Number(process.argv[2] ?? 10)
const names = Array.from({ length: 50 }, (_, index) => `part${index}s`)

const resourceSource = (name: string, index: number, note: string): string => `// ${note}
import { belongsTo, resource } from 'nounkit'
import { z } from 'zod'

export const ${name} = resource('${name}', {
  fields: {
    name: z.string().min(1).max(200),
    note: z.string().max(2000).optional(),
    amount: z.int().min(0).default(0),
    price: z.number().optional(),
    active: z.boolean().default(true),
    due: z.iso.date().optional(),
    kind: z.enum(['a', 'b', 'c']).default('a'),
    at: z.iso.datetime().optional(),
  },
  ${index === 0 ? '' : `relations: { parent: belongsTo('${names[index - 1]}', { optional: true }) }, include: ['parent'],`}
  unique: ['name'],
  filter: ['name', 'kind', 'due'],
  sort: ['name', 'amount'],
})
`

const apiSource = `import { api } from 'nounkit'
${names.map((name) => `import { ${name} } from './${name}.ts'`).join('\n')}
export default api('fifty', { resources: [${names.join(', ')}] })
`

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-dev-reload-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/nounkit'))
  symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [index, name] of names.entries())
    writeFileSync(join(folder, `${name}.ts`), resourceSource(name, index, 'first'))
  writeFileSync(join(folder, 'api.ts'), apiSource)
  return folder
}

const folder = project()
const dev = spawn(join(root, 'bin/nounkit'), ['dev', '--port', '0'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const lines = createInterface({ input: dev.stdout })
const lineWith = async (pattern: RegExp): Promise<RegExpExecArray> => {
  for (;;) {
    const [line] = (await once(lines, 'line')) as [string]
    const match = pattern.exec(line)
    if (match) return match
  }
}

/** The processes of `nounkit dev`. */
function processes(): readonly string[] {
  const parent = String(dev.pid)
  const children = existsSync('/proc') ? readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8') : ''
  return [parent, ...children.split(' ').filter((pid) => pid !== '')]
}

/** The milliseconds of CPU time of all threads of a process; null for one that has ended. */
function cpuOf(pid: string): number | null {
  try {
    const files = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`)
    return files.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0)
  } catch {
    return null
  }
}

const times: number[] = []
const cpuTimes: number[] = []
await lineWith(/is ready/)
for (let change = 0; change < changes; change++) {
  // The next process loads the engine before it is needed. A person takes longer than this to save a file again.
  await sleep(3_000)
  const before = processes().map((pid) => ({ pid, cpu: cpuOf(pid) ?? 0 }))
  writeFileSync(join(folder, `${names[7]}.ts`), resourceSource(names[7] ?? '', 7, `change ${change}`))
  const [, ms] = await lineWith(/reloaded in (\d+) ms/)
  cpuTimes.push(before.reduce((sum, { pid, cpu }) => sum + (cpuOf(pid) ?? cpu) - cpu, 0))
  times.push(Number(ms))
}
dev.kill()
await once(dev, 'exit')
rmSync(folder, { recursive: true, force: true })

function summary(all: readonly number[]): string {
  const sorted = all.map(Math.round).sort((a, b) => a - b)
  return `${sorted[Math.floor(sorted.length / 2)]} ms in the median of ${changes} changes, ${sorted[0]} ms at best`
}
console.log(`50 resources: ${summary(times)}; CPU time ${summary(cpuTimes)}`)
