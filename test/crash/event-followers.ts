import { setTimeout as sleep } from 'node:timers/promises'
import { StreamReader } from '../support/event-source.ts'
import type { Pick } from './desk-client.ts'

export interface SeenEvent {
  readonly id: string
  readonly type: string
  readonly resource_id: string
  readonly changed: readonly string[] | null
  readonly data: { readonly [field: string]: unknown }
}

/** Reads events for as long as it is not stopped, whatever becomes of the servers. */
export interface Follower {
  readonly seen: readonly SeenEvent[]
  /** How often it had to begin again. */
  readonly interruptions: number
  stop(): Promise<void>
}

interface Page {
  readonly data: readonly SeenEvent[]
  readonly page: { readonly next_cursor: string }
}

export async function readPage(pick: Pick, cursor: string | null, limit = 100): Promise<Page> {
  const after = cursor === null ? '' : `&cursor=${cursor}`
  const reply = await pick().call('GET', `/v1/events?limit=${limit}${after}`)
  if (reply.status !== 200) throw new Error(`GET /events was answered with ${reply.status}: ${reply.text}`)
  return JSON.parse(reply.text)
}

/** Every event there is. */
export async function readAll(pick: Pick): Promise<readonly SeenEvent[]> {
  const all: SeenEvent[] = []
  for (let cursor: string | null = null; ; ) {
    const { data, page } = await readPage(pick, cursor)
    if (data.length === 0) return all
    all.push(...data)
    cursor = page.next_cursor
  }
}

/** Remembers nothing but the cursor of the last page. */
export function followCursor(pick: Pick, start: string): Follower {
  const seen: SeenEvent[] = []
  let interruptions = 0
  let isOver = false
  const run = async (): Promise<void> => {
    let cursor = start
    while (!isOver) {
      const page = await readPage(pick, cursor, 20).catch(() => null)
      if (page) {
        seen.push(...page.data)
        cursor = page.page.next_cursor
      } else interruptions++
      if (!page?.data.length) await sleep(20)
    }
  }
  const running = run()
  return {
    seen,
    get interruptions() {
      return interruptions
    },
    stop() {
      isOver = true
      return running
    },
  }
}

/** An EventSource: when its connection breaks, it connects again with the last id it has seen. */
export function followStream(pick: Pick, key: string, start: string): Follower {
  const seen: SeenEvent[] = []
  const stopped = new AbortController()
  let interruptions = 0
  let lastEventId = ''
  const connect = async (): Promise<void> => {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastEventId && { 'last-event-id': lastEventId }),
    }
    const { signal } = stopped
    const response = await fetch(`${pick().url}/v1/events?cursor=${start}`, { headers, signal })
    if (response.status !== 200) throw new Error(`The stream was answered with ${response.status}`)
    const stream = new StreamReader(response)
    for (;;) {
      const [event] = await stream.take(1)
      lastEventId = event?.id ?? ''
      seen.push(JSON.parse(event?.data ?? ''))
    }
  }
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await connect().catch(() => null)
      interruptions++
      await sleep(20)
    }
  }
  const running = run()
  return {
    seen,
    get interruptions() {
      return interruptions
    },
    stop() {
      stopped.abort()
      return running
    },
  }
}
