import assert from 'node:assert/strict'
import type { Contender } from './contender.ts'
import { drawFor, type Sample } from './draw.ts'
import { type Request, workloads } from './workloads.ts'

/**
 * Before anything is timed: every contender must return the same body for the same read, except for the cursor, must create the row
 * that was asked for, and must answer a key that it has seen as it did the first time.
 */
export async function checkAnswers(contenders: readonly Contender[], sample: Sample): Promise<void> {
  const fixed: Sample = { ...sample, ids: sample.ids.slice(0, 1), customers: sample.customers.slice(0, 1) }
  const draw = drawFor(fixed, '/v2')
  for (const { name, kind, request } of workloads.filter((one) => !one.onlyNounkit && one.kind !== 'mix')) {
    // Each has a key of its own: on PostgreSQL all contenders share one database.
    const asked = contenders.map((contender) => ({ contender, sent: request(draw) }))
    const askAll = () => Promise.all(asked.map(({ contender, sent }) => call(contender, sent)))
    const answers = await askAll()
    if (kind === 'read' || kind === 'list') {
      const texts = answers.map(({ text }) => text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"'))
      for (const text of texts) assert.equal(text, texts[0], name)
    } else {
      for (const [at, { status, text }] of answers.entries()) {
        assert.equal(status, 201, text)
        const { id, created_at, updated_at, ...rest } = JSON.parse(text).data
        const expected = { customer_id: fixed.customers[0], currency: 'EUR', note: 'from the benchmark' }
        assert.deepEqual(rest, { ...expected, status: 'draft', total: 0 }, contenders[at]?.name ?? '')
      }
    }
    if (kind === 'keyed') {
      const again = await askAll()
      assert.deepEqual(
        again.map(({ text }) => text),
        answers.map(({ text }) => text),
        'the same key',
      )
    }
  }
}

interface Said {
  readonly status: number
  readonly text: string
  readonly etag: string
}

export async function call(
  { port, prefix, key }: Contender,
  { method, path, headers, body }: Request,
): Promise<Said> {
  const response = await fetch(`http://127.0.0.1:${port}${prefix}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...headers,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path} was answered with ${response.status}: ${text}`)
  return { status: response.status, text, etag: response.headers.get('ETag') ?? '' }
}

/** Reads this many rows in pages of 100 and returns the last cursor. */
export async function deepCursor(contender: Contender, rows: number): Promise<string> {
  let cursor = ''
  for (let seen = 0; seen < rows; seen += 100) {
    const path = `/orders?limit=100${cursor ? `&cursor=${cursor}` : ''}`
    const { text } = await call(contender, { method: 'GET', path })
    cursor = JSON.parse(text).page.next_cursor
  }
  return cursor
}
