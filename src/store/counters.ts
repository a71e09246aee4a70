import type { StoreCounters } from './store.ts'

export const newCounters = (): StoreCounters => ({
  statements: 0,
  prepared: 0,
  commits: 0,
  committed: 0,
  connections: 0,
  busyConnections: 0,
  waiting: 0,
})
