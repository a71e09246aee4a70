import { once } from 'node:events'
import type { Child } from './child.ts'

/** Starts the inspector of a child process whose memory is measured, on a port of its own. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** Megabytes that a child process uses after a garbage collection: objects and the bytes of its buffers. */
export async function heapOf(child: Child): Promise<number> {
  const [, url = ''] = await child.line(/Debugger listening on (ws:\S+)/)
  const inspector = new WebSocket(url)
  await once(inspector, 'open')
  const ask = async (
    id: number,
    method: string,
  ): Promise<{ usedSize: number; backingStorageSize: number }> => {
    inspector.send(JSON.stringify({ id, method }))
    for (;;) {
      const [event] = await once(inspector, 'message')
      const answer = JSON.parse(String(event.data))
      if (answer.id === id) return answer.result
    }
  }
  try {
    await ask(1, 'HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize } = await ask(2, 'Runtime.getHeapUsage')
    return (usedSize + backingStorageSize) / 1_048_576
  } finally {
    inspector.close()
  }
}
