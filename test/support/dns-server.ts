import { createSocket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import { resolveNames } from '../../src/webhooks/resolve-names.ts'

/** A real name server on loopback that has IPv4 addresses only, with answers that a test chooses. */
export interface DnsServer {
  /** As the service asks. */
  resolve(name: string): Promise<readonly LookupAddress[]>
  /** How many questions for IPv4 addresses were answered. */
  readonly asked: number
  close(): Promise<void>
}

/** `answers` are given in turn, the last one for ever. Without any, the server is silent. */
export async function startDns(answers: readonly (readonly string[])[]): Promise<DnsServer> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (question, from) => {
    if (answers.length === 0) return
    const isIPv4 = questionType(question) === 1
    const addresses = isIPv4 ? (answers[Math.min(asked, answers.length - 1)] ?? []) : []
    if (isIPv4) asked++
    socket.send(answerTo(question, addresses), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    resolve: resolveNames([`127.0.0.1:${socket.address().port}`]),
    get asked() {
      return asked
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** Where the name in a question ends, and its type begins. */
function nameEnd(question: Buffer): number {
  let end = 12
  while (question[end] !== 0) end += (question[end] ?? 0) + 1
  return end + 1
}

const questionType = (question: Buffer): number => question.readUInt16BE(nameEnd(question))

/** RFC 1035 §4.1: the question's header with the answer bits set, the question, and an A record with a time to live of 0 for each address. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const asked = Buffer.from(question.subarray(0, nameEnd(question) + 4))
  asked.writeUInt16BE(0x81_80, 2)
  asked.writeUInt16BE(addresses.length, 6)
  asked.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const fixed = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4])
    return Buffer.concat([fixed, Buffer.from(address.split('.').map(Number))])
  })
  return Buffer.concat([asked, ...records])
}
