import { createRequire } from 'node:module'

/**
 * node:http, by `require`: it has Node's WebSocket among its exports, which `import` would load, and with it all that `fetch` consists
 * of. That takes 0.05 s of processor time, a tenth of what a server takes to start.
 */
export const { Agent, createServer, request, STATUS_CODES }: typeof import('node:http') = createRequire(
  import.meta.url,
)('node:http')
