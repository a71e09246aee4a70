import assert from 'node:assert/strict'
import type { Contender } from './contender.ts'
import type { Sample } from './load.ts'
import type { Workload } from './workloads.ts'

/** Before anything is timed: every contender must give the same answer, the cursor's text aside. */
export async function checkAnswers(
  contenders: readonly Contender[],
  workloads: readonly Workload[],
  sample: Sample,
): Promise<void> {
  for (const workload of workloads.filter((one) => one.method === 'GET' && !one.only)) {
    const path = workload.path.replace('{id}', sample.ids[1] ?? '')
    const answers = await Promise.all(
      contenders.filter(({ prefix }) => prefix === '/v2').map((one) => fetchJson(one, path)),
    )
    for (const answer of answers) assert.deepEqual(answer, answers[0], workload.name)
  }
  for (const contender of contenders) {
    const old = contender.prefix === '/v1'
    const body = {
      [old ? 'client_id' : 'customer_id']: sample.customers[0],
      ...(old ? {} : { currency: 'EUR' }),
      note: 'checked',
    }
    const response = await call(contender, '/orders', { method: 'POST', body: JSON.stringify(body) })
    const { data } = (await response.json()) as { data: { [field: string]: unknown } }
    assert.equal(response.status, 201, `${contender.name} creates`)
    assert.equal(data.note, 'checked')
    assert.equal(data.status, 'draft')
  }
}

export const call = (contender: Contender, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${contender.port}${contender.prefix}${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${contender.key}`,
      ...(init.body ? { 'Content-Type': 'application/json' } : {}),
      ...init.headers,
    },
  })

async function fetchJson(contender: Contender, path: string): Promise<unknown> {
  const response = await call(contender, path)
  assert.equal(response.status, 200, `${contender.name} ${path}`)
  const answer = (await response.json()) as { page?: { next_cursor?: unknown } }
  if (answer.page) answer.page.next_cursor = 'masked'
  return answer
}

/** Walks over so many rows in pages of 100 and keeps the cursor. */
export async function deepCursor(contender: Contender, rows: number): Promise<string> {
  let cursor = ''
  for (let seen = 0; seen < rows; seen += 100) {
    const response = await call(contender, `/orders?limit=100${cursor ? `&cursor=${cursor}` : ''}`)
    const { page } = (await response.json()) as { page: { next_cursor: string } }
    cursor = page.next_cursor
  }
  return cursor
}
