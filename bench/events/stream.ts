import { connect, type Socket } from 'node:net'

export interface Arrived {
  /** The id of the row that changed. */
  readonly resourceId: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** Calls `arrived` for every event. Resolves when the stream has begun. */
export const openStream = (port: number, key: string, arrived: (event: Arrived) => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () =>
      socket.write(
        `GET /v2/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`,
      ),
    )
    let rest = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      if (rest === '' && chunk.startsWith('HTTP/1.1 200')) resolve(socket)
      const text = rest + chunk
      const end = text.lastIndexOf('\n\n') + 1
      for (const [event] of text.slice(0, end).matchAll(/^data: .*$/gm))
        arrived({
          resourceId: /"resource_id":"([^"]+)"/.exec(event)?.[1] ?? '',
          // The first time of an event is its own; the second one is the row's.
          createdAt: Date.parse(/"created_at":"([^"]+)"/.exec(event)?.[1] ?? ''),
        })
      rest = text.slice(end)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('A stream was closed before it began.')))
  })
