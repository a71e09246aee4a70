// `node bench/editor.ts [resources] [tsserver.js]`: how long TypeScript takes for an API of 100 resources and a program with its client,
// once with the types of the declaration (`client<typeof big>`), once with the file that `nounkit client` writes. It prints the milliseconds of a
// whole check, and of completions, each after an edit of the program, so that nothing is remembered. They are asked of the language server
// of `node_modules`, or of a `tsserver.js` of TypeScript 5 or 6. Where other programs use the machine too, the CPU
// time counts, which Linux tells; the servers also use several cores.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
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
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const count = Number(process.argv[2] ?? 100)
const classic = process.argv[3]
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const rounds = 3

const nameOf = (index: number): string => `thing-${(index + count) % count}s`

const resourceSource = (
  index: number,
): string => `import { belongsTo, hasMany, resource, states, sum } from 'nounkit'
import { z } from 'zod'
${index === 0 ? '' : `import { r${index - 1} } from './r${index - 1}.ts'`}

export const r${index} = resource('${nameOf(index)}', {
  fields: {
    name: z.string().max(200), email: z.email(), count: z.int().min(0).default(0),
    kind: z.enum(['a', 'b', 'c']), tags: z.array(z.string()).optional(), on: z.iso.date(),
    note: z.string().optional(), done: z.boolean().default(false),
    status: states('open', { open: ['closed'] }), total: sum('children', 'count'),
  },
  relations: {
    parent: belongsTo(${index === 0 ? `'${nameOf(-1)}', { optional: true }` : `r${index - 1}`}),
    first: belongsTo('${nameOf(0)}', { optional: true }), next: belongsTo('${nameOf(index + 1)}', { optional: true }),
    children: hasMany('${nameOf(index + 1)}', { by: 'parent' }),
    nexts: hasMany('${nameOf(index - 1)}', { by: 'next' }),
  },
  filter: ['name', 'status', 'parent_id', 'created_at'],
  sort: ['name', 'total', 'created_at'],
  include: ['parent', 'parent.first', 'first', 'children', 'children.next', 'nexts'],
  hooks: {
    async beforeCreate(row, { find, list }) {
      const parent = await find('${nameOf(Math.max(index - 1, 0))}', row.parent_id ?? '')
      const same = await list('${nameOf(index)}', { kind: row.kind, status: 'open' })
      return { name: row.name + (parent?.name ?? '') + same.length }
    },
  },
})
`

const indexes = [...Array(count).keys()]
const apiSource = `import { api } from 'nounkit'
${indexes.map((index) => `import { r${index} } from './r${index}.ts'`).join('\n')}

export default api('big', { resources: [${indexes.map((index) => `r${index}`)}] })
`

const declared = `import { client } from 'nounkit/client'
import type big from './api.ts'

const api = client<typeof big>({ url: '' })
`
const generated = `import { client } from './big-client.ts'

const api = client({ url: '' })
`
const three = `api.thing_3s.get('1', { include: ['children.next', 'parent'] })`
/** A bar marks where the cursor stands. */
const asked: { readonly [what: string]: string } = {
  'a resource': 'api.|\n',
  'a method': 'api.thing_7s.|\n',
  'an include': "void api.thing_8s.get('1', { include: ['|'] })\n",
  'a field of a filter': 'void api.thing_8s.list({ filter: { | } })\n',
  'a field of a row': `const row = await ${three}\nrow.|\n`,
  'a field two includes deep': `const row = await ${three}\nrow.children.data[0]?.next?.|\n`,
  'a field to send': 'void api.thing_5s.create({ | })\n',
}
const use = `
const row = await ${three}
console.log(row.children.data[0]?.next?.name, row.parent.name, row.kind)
await api.thing_5s.update(row.parent, { status: 'closed' })
for await (const one of api.thing_9s.list({ filter: { status: 'open' }, sort: ['-name'], include: ['nexts'] })) console.log(one.name)
`

function project(before: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-editor-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/nounkit'))
  for (const name of ['zod', '@types', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const settings = JSON.parse(
    readFileSync(join(root, 'template/tsconfig.json'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''),
  )
  const compilerOptions = { ...settings.compilerOptions, customConditions: ['nounkit-source'], pretty: false }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  for (const index of indexes) writeFileSync(join(folder, `r${index}.ts`), resourceSource(index))
  writeFileSync(join(folder, 'api.ts'), apiSource)
  if (before === generated) {
    const file = execFileSync(join(root, 'bin/nounkit'), ['client', folder], { maxBuffer: 1e8 })
    for (const name of readdirSync(folder)) if (name.endsWith('.ts')) rmSync(join(folder, name))
    writeFileSync(join(folder, 'big-client.ts'), file)
  }
  writeFileSync(join(folder, 'use.ts'), before + use)
  return folder
}

/** CPU milliseconds of a process and those that it started, which are the language server itself. */
function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    const own = (Number(stat[11]) + Number(stat[12])) * 10
    return children.reduce((sum, child) => sum + cpuMs(Number(child)), own)
  } catch {
    return Number.NaN
  }
}

const summary = (times: readonly number[], cpu: number): string =>
  `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms, ${(cpu / times.length).toFixed(0)} of CPU`

function checkTimes(folder: string): string {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now()
    execFileSync(process.execPath, [tsc, '-p', folder, '--noEmit'], { cwd: folder, stdio: 'inherit' })
    return performance.now() - start
  })
  return summary(times, 0)
}

interface Editor {
  open(file: string, text: string): void
  change(file: string, text: string): void
  complete(file: string, line: number, column: number): Promise<readonly string[]>
}

/** Sends messages and gives their answers, in the framing of the language server protocol; lines of JSON in that of tsserver. */
function talk(child: ChildProcess, isLsp: boolean): (message: object, isAsked: boolean) => Promise<unknown> {
  const waiting = new Map<number, (body: unknown) => void>()
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('The server has no pipes.')
  let bytes = Buffer.alloc(0)
  stdout.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/.exec(bytes.subarray(0, Math.max(end, 0)).toString())?.[1])
      if (end < 0 || bytes.length < end + 4 + length) return
      const message = JSON.parse(bytes.subarray(end + 4, end + 4 + length).toString())
      bytes = Buffer.from(bytes.subarray(end + 4 + length))
      if (message.method !== undefined && message.id !== undefined) write({ id: message.id, result: null })
      else waiting.get(message.id ?? message.request_seq)?.(message.result ?? message.body)
    }
  })
  const write = (message: object): void => {
    const text = JSON.stringify(isLsp ? { jsonrpc: '2.0', ...message } : message)
    stdin.write(isLsp ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}` : `${text}\n`)
  }
  let number = 0
  return (message, isAsked) => {
    const id = ++number
    const answer = isAsked ? new Promise((done) => waiting.set(id, done)) : Promise.resolve(undefined)
    write(isLsp ? { ...message, ...(isAsked && { id }) } : { type: 'request', seq: id, ...message })
    return answer
  }
}

async function lspEditor(child: ChildProcess, folder: string): Promise<Editor> {
  const say = talk(child, true)
  const uri = (file: string) => pathToFileURL(join(folder, file)).href
  let version = 1
  await say(
    {
      method: 'initialize',
      params: { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} },
    },
    true,
  )
  void say({ method: 'initialized', params: {} }, false)
  return {
    open: (file, text) =>
      void say(
        {
          method: 'textDocument/didOpen',
          params: { textDocument: { uri: uri(file), languageId: 'typescript', version, text } },
        },
        false,
      ),
    change: (file, text) =>
      void say(
        {
          method: 'textDocument/didChange',
          params: { textDocument: { uri: uri(file), version: ++version }, contentChanges: [{ text }] },
        },
        false,
      ),
    async complete(file, line, character) {
      const params = { textDocument: { uri: uri(file) }, position: { line, character } }
      const found = (await say({ method: 'textDocument/completion', params }, true)) as {
        items: { label: string }[]
      } | null
      return found?.items.map(({ label }) => label) ?? []
    },
  }
}

function classicEditor(child: ChildProcess, folder: string): Editor {
  const say = talk(child, false)
  const place = (file: string) => join(folder, file)
  const all = { line: 1, offset: 1, endLine: 1_000_000, endOffset: 1 }
  return {
    open: (file, text) =>
      void say({ command: 'open', arguments: { file: place(file), fileContent: text } }, false),
    change: (file, text) =>
      void say({ command: 'change', arguments: { file: place(file), ...all, insertString: text } }, false),
    async complete(file, line, column) {
      const found = await say(
        { command: 'completionInfo', arguments: { file: place(file), line: line + 1, offset: column + 1 } },
        true,
      )
      return (found as { entries: { name: string }[] } | undefined)?.entries.map(({ name }) => name) ?? []
    },
  }
}

async function measure(before: string): Promise<void> {
  const folder = project(before)
  const args = classic ? [classic, '--disableAutomaticTypingAcquisition'] : [tsc, '--lsp', '--stdio']
  const child = spawn(process.execPath, args, { cwd: folder })
  try {
    if (!classic) console.log(`whole check: ${checkTimes(folder)}`)
    const editor = classic ? classicEditor(child, folder) : await lspEditor(child, folder)
    editor.open('use.ts', before + use)
    await editor.complete('use.ts', 0, 0)
    for (const [what, typing] of Object.entries(asked)) {
      const times: number[] = []
      let names: readonly string[] = []
      const cpu = cpuMs(child.pid ?? 0)
      for (let round = 0; round < rounds; round++) {
        const text = `${before}// ${round}\n${typing}`
        const lines = text.slice(0, text.indexOf('|')).split('\n')
        editor.change('use.ts', text.replace('|', ''))
        const start = performance.now()
        names = await editor.complete('use.ts', lines.length - 1, lines.at(-1)?.length ?? 0)
        times.push(performance.now() - start)
      }
      console.log(
        `${what}: ${summary(times, cpuMs(child.pid ?? 0) - cpu)}; ${names.length} names, such as ${names.slice(0, 4).join(', ')}`,
      )
    }
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
    rmSync(folder, { recursive: true })
  }
}

for (const [name, before] of Object.entries({
  'types of the declaration': declared,
  'the file of nounkit client': generated,
})) {
  console.log(`\n${count} resources, ${name}`)
  await measure(before)
}
