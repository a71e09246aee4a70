import shop from '../../examples/shop/api.ts'
import { systemClock } from '../../src/clock.ts'
import { readContracts } from '../../src/contract/files.ts'
import { listen } from '../../src/serve/listen.ts'
import { createLog } from '../../src/serve/logs.ts'
import { openService } from '../../src/serve/service.ts'

/** Nounkit as `nounkit serve` runs it, with authentication, without seed rows, rate limits or a log. */
const [databaseUrl = '', port = '0'] = process.argv.slice(2)
const { seed: _, ...declaration } = shop
const { contracts } = await readContracts(new URL('../../examples/shop/contracts', import.meta.url).pathname)
const service = await openService({ declaration, databaseUrl, contracts, clock: systemClock, rate: 'off' })
const { model, store, engine } = service
const log = createLog({ level: 'silent' })
await listen({
  model,
  store,
  handle: engine.handle,
  signal: engine.signal,
  log,
  port: Number(port),
  host: '127.0.0.1',
})
console.log('ready')
