import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Child, shell } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { type Block, blocksOf, markOf, place as placeOf, root } from './markdown.ts'

/** Follows a document as a reader would: writes its files, runs its commands, and compares their output with the document. */
export interface Session {
  readonly folder: string
  follow(file: string): Promise<void>
}

export interface SessionOptions {
  readonly folder: string
  readonly env?: { readonly [name: string]: string }
  /** Changes a command before it runs: what only a person can paste. */
  readonly paste?: (command: string, server: Child | null) => string
}

export async function startSession(options: SessionOptions): Promise<Session> {
  const { folder } = options
  const state = temporaryFolder()
  const place = join(state, 'folder')
  writeFileSync(place, folder)
  const here = (): string => readFileSync(place, 'utf8').trimEnd()
  const port = await freePort()
  const paste = options.paste ?? ((command) => command)
  let server: Child | null = null
  let output = ''

  const onPort = (text: string): string => text.replaceAll(/(localhost|127\.0\.0\.1):3000/g, `$1:${port}`)

  const serve = async (block: Block): Promise<void> => {
    await server?.kill()
    const env = { ...options.env, PORT: String(port), ...databaseFor(block, state) }
    server = shell(serverLine(block, here()), { cwd: here(), env })
    await server.line(/^npm|--demo/.test(block.text) ? /^ {2}curl/ : /is ready/)
    output = server.output
  }

  const run = async (block: Block): Promise<void> => {
    const session = join(state, 'session')
    const command = onPort(paste(block.text, server))
    const script = `touch ${session}; . ${session}; ${npx}; set -ea\n${command}\nexport -p > ${session}; pwd > ${place}`
    const child = shell(script, { cwd: here(), env: { ...options.env } })
    const { code } = await child.ended
    expect(code !== 0, `${placeOf(block)} ${block.text}\n${child.output}`).toBe(block.marks.includes('fails'))
    output = `${child.stdout}${child.stderr}`
  }

  const steps: { readonly [language: string]: (block: Block) => Promise<void> } = {
    sh: async (block) => {
      if (block.marks.includes('setup')) return
      await (block.marks.includes('serve') ? serve(block) : run(block))
    },
    text: async (block) => {
      const wanted = onPort(block.text)
      expect(output.replaceAll('\r', ''), placeOf(block)).toMatch(patternOf(wanted))
    },
  }

  return {
    folder,
    async follow(file) {
      for (const block of blocksOf(file)) {
        const name = markOf(block, 'file')
        if (name) writeFileSync(join(here(), name), block.text)
        await steps[block.language]?.(block)
      }
      await server?.kill()
    },
  }
}

/** The demo's own folder must stay clean. */
const databaseFor = (block: Block, state: string): { readonly [name: string]: string } =>
  block.text === 'npm start' ? { DATABASE_URL: `sqlite:${join(state, 'shop.db')}` } : {}

/** Starts a program that is installed as npx would, which takes a second to find it. Any other program is npx's own task. */
const npx =
  'npx() { program=$1; shift; if [ -x "node_modules/.bin/$program" ]; then "node_modules/.bin/$program" "$@"; else command npx "$program" "$@"; fi; }'

/** A line that becomes the server, so that ending it ends the server: npm runs scripts in a shell that keeps signals to itself. */
function serverLine({ text }: Block, folder: string): string {
  const script = /^npm (?:run )?(\w+)$/.exec(text)?.[1]
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const line = script ? scripts[script] : text.replace(/^npx /, '')
  return `PATH="$PWD/node_modules/.bin:$PATH" exec ${line}`
}

/** A project with the demo's declaration, as if the package were installed there. */
export function shopProject(): string {
  const folder = emptyProject()
  cpSync(join(root, 'examples/shop'), folder, { recursive: true })
  return folder
}

/** A project without a declaration, as if the package were installed there. */
export function emptyProject(): string {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync(root, join(modules, 'nounkit'))
  symlinkSync(join(root, 'node_modules/zod'), join(modules, 'zod'))
  // Not nounkit.js, which in a checkout starts a second Node.
  symlinkSync('../nounkit/bin/nounkit', join(modules, '.bin/nounkit'))
  writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "type": "module" }')
  return folder
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
