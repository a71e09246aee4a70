import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve as serveHono } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import type { Service as Opened } from '../../src/server-door.ts'
import { whenOver } from './clean-up.ts'

type Service = Pick<Opened, 'fetch' | 'handler' | 'owns'>
type Host = (service: Service) => Promise<string>

/** Servers of others that run in Node, with a route of their own, `/hello`, and the service below its prefix, as the guide shows. */
const hostsInNode: { readonly [name: string]: Host } = {
  async 'node:http'(service) {
    return listening((incoming, outgoing) => {
      if (service.owns(incoming.url ?? '')) service.handler(incoming, outgoing)
      else outgoing.end('hello')
    })
  },
  async 'Express 5'(service) {
    const app = express()
    app.use('/api', service.handler)
    app.use(express.json())
    app.get('/hello', (_, response) => void response.send('hello'))
    return listening(app)
  },
  async 'Fastify 5'(service) {
    // Before Fastify's router, which refuses paths that it cannot decode by itself.
    const app = fastify({
      serverFactory: (handle) =>
        createServer((incoming, outgoing) => {
          if (service.owns(incoming.url ?? '')) service.handler(incoming, outgoing)
          else handle(incoming, outgoing)
        }),
    })
    app.get('/hello', async () => 'hello')
    whenOver(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  async 'Hono on Node'(service) {
    const app = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>()
    app.all('/api/*', ({ req, env }) =>
      service.fetch(req.raw, { address: env.incoming.socket.remoteAddress }),
    )
    app.get('/hello', (context) => context.text('hello'))
    const server = serveHono({
      overrideGlobalObjects: false,
      fetch: app.fetch,
      port: 0,
      hostname: '127.0.0.1',
    }) as Server
    if (!server.listening) await once(server, 'listening')
    return urlOf(server)
  },
}

/** The servers of the runtime. */
export const hosts: { readonly [name: string]: Host } = process.versions.bun
  ? { 'Bun.serve': inBun }
  : hostsInNode

/** Bun's own server, as far as it is used here. */
interface BunServer {
  readonly url: URL
  requestIP(request: Request): { readonly address: string } | null
  stop(closeConnections: boolean): Promise<void>
}
interface Bun {
  serve(options: {
    port: number
    hostname: string
    idleTimeout: number
    fetch: (request: Request, server: BunServer) => Response | Promise<Response>
  }): BunServer
}

async function inBun(service: Service): Promise<string> {
  const { Bun } = globalThis as unknown as { Bun: Bun }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch(request, own) {
      if (!service.owns(request.url)) return new Response('hello')
      return service.fetch(request, { address: own.requestIP(request)?.address })
    },
  })
  whenOver(() => server.stop(true))
  return server.url.origin
}

export async function listening(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return urlOf(server)
}

const urlOf = (server: Server): string => {
  whenOver(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
