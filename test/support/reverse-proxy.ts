import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { whenOver } from './clean-up.ts'

export interface ReverseProxy {
  readonly url: string
  /** Headers of every request to the API, as the client sent them. */
  readonly requests: readonly IncomingHttpHeaders[]
  /** Where requests go. */
  target: string
  /** Ends every connection of clients; new ones pass. */
  cut(): void
}

/**
 * A reverse proxy that adds the API key, which a browser's EventSource cannot send. It has an empty page at every path that is not
 * of a version, so that a page of the same origin can be opened. Where the target is not there, connections break.
 */
export async function startReverseProxy(target: string, key: string): Promise<ReverseProxy> {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/v')) {
      outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>empty</title>')
      return
    }
    requests.push(incoming.headers)
    const { method = 'GET', url = '' } = incoming
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` }
    const upstream = request(proxy.target + url, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: ReverseProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    target,
    cut: () => server.closeAllConnections(),
  }
  whenOver(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return proxy
}
