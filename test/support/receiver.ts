import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'

const certificates = join(import.meta.dirname, 'certificate')
/** Of the receivers with TLS. It names `localhost` and is its own authority. */
export const receiverCertificate = readFileSync(join(certificates, 'certificate.pem'), 'utf8')

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A program that receives webhooks over real HTTP. */
export interface Receiver {
  readonly url: string
  readonly port: number
  /** Every call that arrived whole, in order. */
  readonly received: Received[]
  /** Replaces what happens to each call. */
  answer(how: Answering): void
  close(): Promise<void>
}

type Answering = (response: ServerResponse, call: Received, socket: Socket) => void

const accept: Answering = (response) => void response.writeHead(204).end()

export async function startReceiver(options: { readonly tls?: boolean } = {}): Promise<Receiver> {
  const received: Received[] = []
  let answering = accept
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const call = { path: request.url ?? '', headers: request.headers, body }
      received.push(call)
      answering(response, call, request.socket)
    })
  }
  const server = options.tls
    ? createTlsServer(
        { cert: receiverCertificate, key: readFileSync(join(certificates, 'key.pem')) },
        onRequest,
      )
    : createServer(onRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: options.tls ? `https://localhost:${port}/hooks` : `http://127.0.0.1:${port}/hooks`,
    received,
    answer(how) {
      answering = how
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}
