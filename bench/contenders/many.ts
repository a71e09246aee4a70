import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { api, resource } from '../../src/index.ts'
import { listen } from '../../src/serve/listen.ts'
import { createLog } from '../../src/serve/logs.ts'
import { openService } from '../../src/serve/service.ts'

/** An API of as many resources as asked for, alike but for their names: does a call care how many others there are? */
const [databaseUrl = '', port = '0', count = '10'] = process.argv.slice(2)
const resources = Array.from({ length: Number(count) }, (_, index) =>
  resource(`kind-${index}-things`, {
    fields: { name: z.string().max(100), size: z.int(), colour: z.enum(['red', 'green', 'blue']) },
    filter: ['colour'],
    sort: ['size'],
  }),
)
const service = await openService({ declaration: api('many', { resources }), databaseUrl, rate: 'off' })
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
const ring = new KeyRing(store, systemClock)
const made = await ring.replace({ account: 'bench', name: 'bench', scopes: ['*'], kind: 'internal' })
console.log(`ready ${made.secret}`)
