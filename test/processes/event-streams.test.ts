import { describe, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { nounkit } from '../support/child.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { StreamReader } from '../support/event-source.ts'
import { newKey, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const folder = declarationFolder(`
import { api, resource } from 'nounkit'
import { z } from 'zod'
const notes = resource('notes', { fields: { text: z.string() } })
export default api('diary', { events: { keepDays: 30 }, resources: [notes] })
`)

const textOf = ({ data }: { readonly data: string }): string => JSON.parse(data).data.text

describe.each(storeKinds)('%s', (kind) => {
  const prepare = async () => {
    const databaseUrl = await emptyDatabase(kind)
    const start = () => startServer(databaseUrl, { api: folder })
    const first = await start()
    const key = await newKey(databaseUrl)
    const follow = async (server: ServerProcess, lastEventId = '') => {
      const headers = {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        ...(lastEventId && { 'last-event-id': lastEventId }),
      }
      const response = await fetch(`${server.url}/v1/events`, { headers })
      expect(response.status).toBe(200)
      return new StreamReader(response).opened()
    }
    const note = async (server: ServerProcess, text: string) =>
      expect((await server.call('POST', '/v1/notes', { key, body: { text } })).status).toBe(201)
    return { databaseUrl, start, first, follow, note }
  }

  test('a stream shows what another process writes, ends with its process, and is resumed at the other one', async () => {
    const { start, first, follow, note } = await prepare()
    const second = await start()
    const stream = await follow(first)
    await note(second, 'one')
    await note(first, 'two')
    expect((await stream.take(2)).map(textOf)).toEqual(['one', 'two'])
    const ended = first.child.kill('SIGTERM')
    const rest = await stream.rest()
    expect(rest).toEqual([])
    expect(await ended).toEqual({ code: 0, signal: null })
    await note(second, 'three')
    const again = await follow(second, stream.lastEventId)
    await note(second, 'four')
    expect((await again.take(2)).map(textOf)).toEqual(['three', 'four'])
    await again.cancel()
  })

  test('nounkit events prints the feed of an account, and follows it', async () => {
    const { databaseUrl, first, note } = await prepare()
    await note(first, 'one')
    const env = { DATABASE_URL: databaseUrl }
    const printed = await runHere(['events', folder, '--account', 'acme', '--json'], { env })
    expect(printed.code).toBe(0)
    expect(JSON.parse(printed.stdout)).toMatchObject({ type: 'notes.created', data: { text: 'one' } })
    const followed = nounkit(['events', folder, '--account', 'acme', '--follow'], { env })
    await followed.line(/notes\.created/)
    await note(first, 'two')
    await until(() => followed.stdout.match(/notes\.created/g)?.length === 2)
    await followed.kill('SIGINT')
    const wrong = await runHere(['events', folder, '--account', 'acme', '--type', 'books.created'], { env })
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--type') })
    const nobody = await runHere(['events', folder], { env })
    expect(nobody).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--account acme') })
  })
})
