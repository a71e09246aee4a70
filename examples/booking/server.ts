import { readFileSync } from 'node:fs'
import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openService } from 'nounkit/server'
import api from './api.ts'
import { openAuth } from './auth.ts'

const port = Number(process.env.PORT ?? 3000)
const url = process.env.APP_URL ?? `http://localhost:${port}`
const file = process.env.APP_DATABASE ?? 'booking.db'

// The API verifies the tokens that the login below makes: it finds their keys by the address of the issuer.
const booking = await openService(api, {
  database: `sqlite:${file}`,
  prefix: '/api',
  tokenIssuer: url,
  tokenAudience: url,
})
const auth = await openAuth(file, url)

const app = new Hono<{ Bindings: HttpBindings }>()
app.on(['GET', 'POST'], '/auth/*', ({ req }) => auth.handler(req.raw))
app.get('/.well-known/openid-configuration', (context) =>
  context.json({ issuer: url, jwks_uri: `${url}/auth/jwks` }),
)
app.all('/api/*', ({ req, env }) => booking.fetch(req.raw, { address: env.incoming.socket.remoteAddress }))
app.get('/', () => fileAt(new URL('page.html', import.meta.url), 'text/html'))
app.get('/page.js', () => fileAt(new URL('page.js', import.meta.url), 'text/javascript'))
// The typed client runs in pages as it is, without a bundler.
app.get('/nounkit/:name{[a-z-]+\\.js}', ({ req }) =>
  fileAt(new URL(req.param('name'), import.meta.resolve('nounkit/client')), 'text/javascript'),
)

const fileAt = (path: URL, type: string): Response =>
  new Response(readFileSync(path), { headers: { 'Content-Type': `${type}; charset=utf-8` } })

const server = serve({ fetch: app.fetch, port }, () => console.log(`Rooms by the hour is ready: ${url}`))
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await booking.close()
    server.close()
  })
