import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll } from 'vitest'

const tsc = join(resolve(import.meta.dirname, '../..'), 'node_modules/typescript/bin/tsc')

export interface LanguageServer {
  /** What an editor offers at an offset of a file that has this text. */
  completionsAt(file: string, text: string, offset: number): Promise<readonly string[]>
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

/**
 * TypeScript as editors run it: the language server protocol, over standard input and output. A file of the project stays open, because
 * the server forgets a project without one.
 */
export async function languageServer(folder: string, openFile: string): Promise<LanguageServer> {
  const child = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { cwd: folder })
  afterAll(() => void child.kill())
  const waiting = new Map<number, (result: unknown) => void>()
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The language server ended with ${code}.`)
  })
  ended.catch(() => {})
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  let bytes = Buffer.alloc(0)
  child.stdout.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    for (let next = firstMessage(bytes); next !== null; next = firstMessage(bytes)) {
      bytes = next.rest
      const { id, method, result } = next.message
      if (id === undefined) continue
      // The server asks for settings of the editor, and is content with none.
      if (method !== undefined) send({ id, result: null })
      else waiting.get(id)?.(result)
    }
  })
  let asked = 0
  const ask = <T>(method: string, params: object): Promise<T> => {
    const id = ++asked
    const answer = new Promise<T>((done) => waiting.set(id, (result) => done(result as T)))
    send({ id, method, params })
    return Promise.race([answer, ended])
  }
  await ask('initialize', { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} })
  send({ method: 'initialized', params: {} })
  const uriOf = (file: string): string => pathToFileURL(join(folder, file)).href
  const open = (file: string, text: string) => {
    const textDocument = { uri: uriOf(file), languageId: 'typescript', version: 1, text }
    send({ method: 'textDocument/didOpen', params: { textDocument } })
  }
  open(openFile, readFileSync(join(folder, openFile), 'utf8'))
  return {
    async completionsAt(file, text, offset) {
      const textDocument = { uri: uriOf(file) }
      const before = text.slice(0, offset).split('\n')
      const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
      open(file, text)
      const found = await ask<{ items: { label: string }[] } | null>('textDocument/completion', {
        textDocument,
        position,
      })
      send({ method: 'textDocument/didClose', params: { textDocument } })
      return (found?.items ?? []).map(({ label }) => label.replace('?', ''))
    },
  }
}

/** The first whole message, or null where more bytes must come. */
function firstMessage(
  bytes: Buffer,
): { readonly message: Message; readonly rest: Buffer<ArrayBuffer> } | null {
  const end = bytes.indexOf('\r\n\r\n')
  const length = Number(/Content-Length: (\d+)/.exec(bytes.subarray(0, Math.max(end, 0)).toString())?.[1])
  if (end < 0 || bytes.length < end + 4 + length) return null
  const message: Message = JSON.parse(bytes.subarray(end + 4, end + 4 + length).toString())
  return { message, rest: Buffer.from(bytes.subarray(end + 4 + length)) }
}
