import cluster from 'node:cluster'

/** Nounkit in several processes that share a port. */
const count = Number(process.argv[4] ?? '1')
if (cluster.isPrimary) {
  for (let at = 0; at < count; at++) cluster.fork()
  process.on('SIGTERM', () => process.exit(0))
} else await import('./nounkit.ts')
