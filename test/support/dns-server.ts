import { createSocket } from 'node:dgram'
import { promises as dns, type LookupAddress } from 'node:dns'

/** A real name server on loopback for IPv4 addresses, with answers that a test chooses. */
export interface DnsServer {
  /** As a program asks its resolver. */
  resolve(name: string): Promise<readonly LookupAddress[]>
  /** How many questions were answered. */
  readonly asked: number
  close(): Promise<void>
}

/** `answers` are given in turn, the last one for ever. */
export async function startDns(answers: readonly (readonly string[])[]): Promise<DnsServer> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (question, from) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
    asked++
    socket.send(answerTo(question, addresses), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new dns.Resolver({ timeout: 5_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    resolve: async (name) => (await resolver.resolve4(name)).map((address) => ({ address, family: 4 })),
    get asked() {
      return asked
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** RFC 1035 §4.1: the question's header with the answer bits set, the question, and an A record with a time to live of 0 for each address. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  let end = 12
  while (question[end] !== 0) end += (question[end] ?? 0) + 1
  const asked = Buffer.from(question.subarray(0, end + 5))
  asked.writeUInt16BE(0x81_80, 2)
  asked.writeUInt16BE(addresses.length, 6)
  asked.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const fixed = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4])
    return Buffer.concat([fixed, Buffer.from(address.split('.').map(Number))])
  })
  return Buffer.concat([asked, ...records])
}
