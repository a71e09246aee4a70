import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { whenOver } from './clean-up.ts'

export interface TcpProxy {
  readonly port: number
  /** Connections made through it so far. */
  readonly accepted: number
  /** Drops bytes in both directions without closing the connection. */
  freeze(): void
  /** Ends every connection; new ones pass. */
  cut(): void
  /** Whether new connections are answered. */
  refuse(refusing: boolean): void
  /** Accepts further connections and says nothing to them. */
  mute(): void
}

/** A TCP proxy between a client and a server that fails in the ways that networks do. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let refusing = false
  let isMute = false
  let accepted = 0
  const server = createServer((client) => {
    if (refusing) {
      client.destroy()
      return
    }
    accepted++
    const upstream = connect(target)
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
      if (!isMute) from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  whenOver(async () => {
    cut()
    server.close()
    await once(server, 'close')
  })
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted
    },
    freeze() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream)
        upstream.unpipe(client)
      }
    },
    cut,
    refuse(now) {
      refusing = now
    },
    mute() {
      isMute = true
    },
  }
}
