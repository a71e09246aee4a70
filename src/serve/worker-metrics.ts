import cluster from 'node:cluster'
import type { Snapshot } from './prometheus-text.ts'

/** A scrape reaches one worker. That worker asks the primary, which asks all workers, so that the metrics cover the service. */
type Message =
  | { readonly nounkit: 'metrics-wanted'; readonly by: number; readonly scrape: number }
  | { readonly nounkit: 'metrics-please'; readonly by: number; readonly scrape: number }
  | {
      readonly nounkit: 'metrics-here'
      readonly by: number
      readonly scrape: number
      readonly snapshot: Snapshot
    }
  | {
      readonly nounkit: 'metrics-all'
      readonly scrape: number
      readonly snapshot: Snapshot
      readonly of: number
    }

const waitMs = 1_000

/** Collects the snapshots of all workers; in a process without workers, its own alone. */
export const shareMetrics = (own: () => Snapshot): (() => Promise<readonly Snapshot[]>) => {
  const { worker } = cluster
  if (!worker) return async () => [own()]
  const scrapes = new Map<number, { snapshots: Snapshot[]; done: (snapshots: Snapshot[]) => void }>()
  let last = 0

  worker.on('message', (message: Message) => {
    if (message.nounkit === 'metrics-please') {
      worker.send({
        nounkit: 'metrics-here',
        by: message.by,
        scrape: message.scrape,
        snapshot: own(),
      } satisfies Message)
    }
    if (message.nounkit !== 'metrics-all') return
    const scrape = scrapes.get(message.scrape)
    scrape?.snapshots.push(message.snapshot)
    if (scrape && scrape.snapshots.length >= message.of) scrape.done(scrape.snapshots)
  })

  return async () => {
    const scrape = ++last
    const { promise, resolve } = Promise.withResolvers<Snapshot[]>()
    const snapshots: Snapshot[] = []
    scrapes.set(scrape, { snapshots, done: resolve })
    // A worker that has just exited never answers. The snapshots that arrived in time are used.
    const timer = setTimeout(() => resolve(snapshots), waitMs)
    worker.send({ nounkit: 'metrics-wanted', by: worker.id, scrape } satisfies Message)
    return promise.finally(() => {
      clearTimeout(timer)
      scrapes.delete(scrape)
    })
  }
}

/** In the primary: passes the messages between workers. */
export const relayMetrics = (): void => {
  cluster.on('message', (_, message: Message) => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
    if (message.nounkit === 'metrics-wanted') {
      for (const worker of workers) worker?.send({ ...message, nounkit: 'metrics-please' } satisfies Message)
    }
    if (message.nounkit === 'metrics-here') {
      const { by, scrape, snapshot } = message
      cluster.workers?.[by]?.send({
        nounkit: 'metrics-all',
        scrape,
        snapshot,
        of: workers.length,
      } satisfies Message)
    }
  })
}
