import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Child, nounkit } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { type Block, blocksOf, markOf, place, root } from './markdown.ts'

/** Follows a document as a reader would: writes its files, runs its commands, and compares their output with the document. */
export interface Session {
  readonly folder: string
  follow(file: string): Promise<void>
}

export interface SessionOptions {
  /** Where commands run; a folder with `nounkit` and `zod` installed unless said. */
  readonly folder?: string
  readonly env?: { readonly [name: string]: string }
  /** Changes a command before it runs: what only a person can paste. */
  readonly paste?: (command: string, server: Child | null) => string
}

export async function startSession(options: SessionOptions = {}): Promise<Session> {
  const folder = options.folder ?? installedFolder()
  const state = temporaryFolder()
  const port = await freePort()
  const paste = options.paste ?? ((command) => command)
  let server: Child | null = null
  let output = ''

  const onPort = (text: string): string => text.replaceAll(/(localhost|127\.0\.0\.1):3000/g, `$1:${port}`)

  const serve = async (block: Block): Promise<void> => {
    await server?.kill()
    const args = block.text.replace(/^npx nounkit |^npm start$/, '').split(' ')
    const command = block.text === 'npm start' ? ['serve', 'examples/shop', '--demo'] : args
    server = nounkit(command, {
      cwd: folder,
      env: { PORT: String(port), ...databaseFor(block, state) },
    })
    await server.line(block.text === 'npm start' ? /^ {2}curl -i/ : /is ready/)
    output = server.output
  }

  const run = async (block: Block): Promise<void> => {
    const session = join(state, 'session')
    const command = onPort(paste(block.text, server))
    const script = `touch ${session}; . ${session}; npx() { "$@"; }; set -ea\n${command}\nexport -p > ${session}`
    const path = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
    const { failed, text } = await shell(script, folder, { PATH: path, ...options.env })
    expect(failed, `${place(block)} ${block.text}\n${text}`).toBe(block.marks.includes('fails'))
    output = text
  }

  const steps: { readonly [language: string]: (block: Block) => Promise<void> } = {
    sh: async (block) => {
      if (block.marks.includes('setup')) return
      await (block.marks.includes('serve') ? serve(block) : run(block))
    },
    text: async (block) => {
      const wanted = onPort(block.text)
      expect(output.replaceAll('\r', ''), place(block)).toMatch(patternOf(wanted))
    },
  }

  return {
    folder,
    async follow(file) {
      for (const block of blocksOf(file)) {
        const name = markOf(block, 'file')
        if (name) writeFileSync(join(folder, name), block.text)
        await steps[block.language]?.(block)
      }
      await server?.kill()
    },
  }
}

/** The demo's own folder must stay clean. */
const databaseFor = (block: Block, state: string): { readonly [name: string]: string } =>
  block.text === 'npm start' ? { DATABASE_URL: `sqlite:${join(state, 'shop.db')}` } : {}

/** As `npm install ../nounkit zod` leaves it. */
function installedFolder(): string {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync(root, join(modules, 'nounkit'))
  symlinkSync(join(root, 'node_modules/zod'), join(modules, 'zod'))
  symlinkSync('../nounkit/bin/nounkit', join(modules, '.bin/nounkit'))
  writeFileSync(join(folder, 'package.json'), '{ "name": "library", "type": "module" }')
  return folder
}

function shell(
  script: string,
  cwd: string,
  more: { readonly [name: string]: string },
): Promise<{ failed: boolean; text: string }> {
  const env = { ...process.env, NODE_OPTIONS: '', VITEST: '', ...more }
  return new Promise((resolve) => {
    execFile('sh', ['-c', script], { cwd, env, timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, text: `${stdout}${stderr}` }),
    )
  })
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const anyLines = '[\\s\\S]*?'

/** `…` stands for anything within a line; on a line of its own, for any lines. */
function patternOf(shown: string): RegExp {
  const pattern = shown
    .split('\n')
    .map((line) => (line === '…' ? anyLines : line.split('…').map(literally).join('[^\\n]*')))
    .join('\\n')
  return new RegExp(pattern.replaceAll(`\\n${anyLines}\\n`, `\\n${anyLines}`))
}
