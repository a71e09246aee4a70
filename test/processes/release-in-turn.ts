import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { ReleaseTraffic } from '../support/release-traffic.ts'
import { wordsOf } from '../support/rolling-world.ts'
import { dataOf, newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'

const world = pathToFileURL(new URL('../support/rolling-world.ts', import.meta.url).pathname).href

/** The folders of both declarations. */
export interface Releases {
  readonly older: string
  readonly newer: string
}

/** The newer declaration has the contract that the older one was published with. */
export async function releases(made: readonly string[]): Promise<Releases> {
  const folderOf = (text: string) =>
    declarationFolder(`import { newerWorld, olderWorld } from '${world}'\nexport default ${text}\n`)
  const older = folderOf('olderWorld()')
  const newer = folderOf(`newerWorld(new Set(${JSON.stringify(made)}))`)
  expect(await runHere(['publish', older, 'v1', '--skip-store'])).toMatchObject({ code: 0 })
  cpSync(join(older, 'contracts'), join(newer, 'contracts'), { recursive: true })
  return { older, newer }
}

/** Replaces every process by one of the newer declaration, one after the other, and then back, while consumers of v1 call all of them. */
export async function releaseInTurn(
  databaseUrl: string,
  { older, newer }: Releases,
  made: readonly string[],
  count: number,
): Promise<ReleaseTraffic> {
  const start = (folder: string) => startServer(databaseUrl, { api: folder })
  const servers: ServerProcess[] = [await start(older)]
  const key = await newKey(databaseUrl)
  servers.push(...(await Promise.all(Array.from({ length: count - 1 }, () => start(older)))))
  const traffic = new ReleaseTraffic(servers, key)
  const words = wordsOf(new Set(made))
  const newest: string[] = []
  for (const folder of [newer, older])
    for (let at = 0; at < servers.length; at++) {
      const old = servers[at] as ServerProcess
      const next = await start(folder)
      servers[at] = next
      await traffic.drained(old)
      await old.child.kill('SIGTERM')
      if (folder === older) continue
      // What only the newer declaration has is there at once, and every process shows it as v1 says.
      const body = {
        [words.name]: 'newest',
        phone: '3',
        ...(made.includes('map-values') && { grade: 'gold' }),
        ...(made.includes('add-required-field') && { currency: 'USD' }),
        ...(!made.includes('remove-field') && { code: 'c' }),
      }
      const reply = await next.call('POST', `/v2/${words.clients}`, { key, body })
      expect(reply.status, reply.text).toBe(201)
      newest.push(dataOf(reply).id)
      const path = `/v1/clients/${newest.at(-1)}`
      const shown = await Promise.all(servers.map((server) => server.call('GET', path, { key })))
      expect(new Set(shown.map(({ text }) => text)).size).toBe(1)
      expect(dataOf(shown[0] as Reply)).toMatchObject({
        full_name: 'newest',
        grade: made.includes('map-values') ? 'high' : 'low',
        code: made.includes('remove-field') ? 'none' : 'c',
      })
    }
  await traffic.stop()
  const [reader] = servers as [ServerProcess]
  const allMade = [...traffic.made, ...newest]
  const listed = await all(reader, key, '/v1/clients')
  expect(listed.map(({ id }) => id).toSorted()).toEqual(allMade.toSorted())
  const log = await all(reader, key, '/v1/events')
  const created = log.filter(({ type }) => type === 'clients.created')
  expect(created.map(({ resource_id }) => resource_id).toSorted()).toEqual(allMade.toSorted())
  const followed = await traffic.followed(log.length)
  expect(followed.toSorted()).toEqual(log.map(({ id }) => id).toSorted())
  expect(traffic.faults).toEqual([])
  // The traffic is only worth something if there was some.
  expect(traffic.made.size).toBeGreaterThan(4)
  for (const { child } of servers) await child.kill('SIGTERM')
  return traffic
}

interface Shown {
  readonly id: string
  readonly [member: string]: unknown
}

/** Every row of a list. */
async function all(server: ServerProcess, key: string, path: string): Promise<readonly Shown[]> {
  const rows: Shown[] = []
  for (let cursor = ''; ; ) {
    const { data, page } = JSON.parse((await server.call('GET', `${path}?limit=50${cursor}`, { key })).text)
    rows.push(...data)
    if (!page.has_more) return rows
    cursor = `&cursor=${page.next_cursor}`
  }
}
