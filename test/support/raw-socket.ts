import { once } from 'node:events'
import { connect } from 'node:net'

/** Bytes on a connection of their own, as no HTTP client would send them. */
export type RawConnection = {
  send(bytes: string | Uint8Array): void
  /** All that came until the server closed the connection. */
  untilClosed(within?: number): Promise<string>
  /** All that came so far, once it matches. */
  until(pattern: RegExp, within?: number): Promise<string>
  readonly received: string
  close(): void
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let closed = false
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    closed = true
  })
  await once(socket, 'connect')
  const wait = async (done: () => boolean, within: number, what: string): Promise<string> => {
    const deadline = performance.now() + within
    while (!done()) {
      if (performance.now() > deadline)
        throw new Error(`${what} did not come within ${within} ms; received: ${received}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return received
  }
  return {
    send: (bytes) => void socket.write(bytes),
    untilClosed: (within = 20_000) => wait(() => closed, within, 'the end of the connection'),
    until: (pattern, within = 20_000) => wait(() => pattern.test(received), within, String(pattern)),
    get received() {
      return received
    },
    close: () => void socket.destroy(),
  }
}

/** Sends the bytes and returns all that comes until the server closes. */
export async function rawExchange(port: number, bytes: string | Uint8Array): Promise<string> {
  const connection = await openRaw(port)
  connection.send(bytes)
  try {
    return await connection.untilClosed()
  } finally {
    connection.close()
  }
}

export type RawAnswer = { status: number; headers: Map<string, string>; body: string }

export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
