import { expect } from 'vitest'
import type { Reply, ServerProcess } from './server-process.ts'

/**
 * Creates rows until the disk takes no more: the refused create says so, and the server is not ready. Resolves with what was acknowledged, and
 * with the name of the row that was refused. Some rows still fit into pages that have room left.
 */
export async function fillDisk(
  server: ServerProcess,
  create: (name: string) => Promise<Reply>,
  most: number,
): Promise<{ readonly acknowledged: ReadonlyMap<string, Reply>; readonly refused: string }> {
  const acknowledged = new Map<string, Reply>()
  for (let at = 0; at < most; at++) {
    const name = `full-${at}`
    const reply = await create(name)
    if (reply.status === 201) {
      acknowledged.set(name, reply)
      continue
    }
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(JSON.parse(reply.text)).toMatchObject({
      type: '/problems/store-unavailable',
      detail: expect.stringMatching(/^The disk of the store /),
    })
    expect(await isReady(server)).toBe(false)
    return { acknowledged, refused: name }
  }
  throw new Error(`${most} rows fit on the disk`)
}

export const isReady = async ({ url }: ServerProcess): Promise<boolean> => {
  const { status } = await fetch(`${url}/readyz`)
  expect([200, 503]).toContain(status)
  return status === 200
}
