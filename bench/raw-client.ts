import { connect, type Socket } from 'node:net'

/** A connection with one request at a time. It reads answers by their Content-Length and nothing else, so that it costs little. */
export interface Client {
  /** Sends a request and returns the milliseconds until the whole response had arrived. */
  ask(text: string): Promise<number>
  close(): void
}

export const connectTo = (port: number): Promise<Client> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(clientOn(socket)))
    socket.once('error', reject)
  })

const endOfHead = Buffer.from('\r\n\r\n')

function clientOn(socket: Socket): Client {
  let sentAt = 0
  let received: Buffer | null = null
  let waiting: { done(ms: number): void; fail(error: Error): void } | null = null
  socket.on('data', (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk
    const head = received.indexOf(endOfHead)
    if (head < 0) return
    const text = received.toString('latin1', 0, head)
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (received.length < head + endOfHead.length + length) return
    // HTTP/1.1 200: 2xx, and 304 for those who ask for it.
    const isFine = text[9] === '2' || text.startsWith('304', 9)
    if (isFine) waiting?.done(performance.now() - sentAt)
    else waiting?.fail(new Error(`answered ${received.toString()}`))
    received = null
  })
  socket.on('close', () => waiting?.fail(new Error('closed the connection')))
  return {
    ask: (text) =>
      new Promise((done, fail) => {
        waiting = { done, fail }
        sentAt = performance.now()
        socket.write(text, 'latin1')
      }),
    close: () => void socket.destroy(),
  }
}
