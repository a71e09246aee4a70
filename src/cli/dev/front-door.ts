import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { DeclarationProcess } from './declaration-process.ts'

/**
 * The port of `nounkit dev`. Connections are handed to the process that serves. While there is none, they wait, so that none is refused
 * during a change; where the declaration has mistakes and nothing was served before, those are the answer.
 */
export class FrontDoor {
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#admit(socket))
  readonly #refusals = createHttpServer((_, response) => {
    response.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    response.end(`${this.#refusal ?? ''}\n`)
  })
  readonly #waiting = new Set<Socket>()
  #process: DeclarationProcess | null = null
  #refusal: string | null = null

  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections wait from now on. */
  hold(): void {
    this.#process = null
    this.#refusal = null
  }

  /** Connections go to this process from now on, those that wait too. */
  leadTo(next: DeclarationProcess): void {
    this.#process = next
    this.#admitWaiting()
  }

  /** Connections are answered 503 with this text from now on. */
  refuse(text: string): void {
    this.#refusal = text
    this.#admitWaiting()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#waiting) socket.destroy()
  }

  #admitWaiting(): void {
    const sockets = [...this.#waiting]
    this.#waiting.clear()
    for (const socket of sockets) this.#admit(socket)
  }

  #admit(socket: Socket): void {
    if (this.#process) this.#process.adopt(socket)
    else if (this.#refusal !== null) this.#refusals.emit('connection', socket.resume())
    else {
      this.#waiting.add(socket)
      socket.on('error', () => {}).once('close', () => this.#waiting.delete(socket))
    }
  }
}
