import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlainResponse } from '../call/exchange.ts'
import { problem } from '../problems.ts'
import { NodeRequest } from './node-request.ts'
import { faultOf } from './request-fault.ts'
import { holdUntilTaken } from './untaken-answers.ts'
import type { WebFetchParts } from './web-fetch.ts'
import { writeResponse } from './write-response.ts'

/** Answers a request that a server of somebody else got, such as that of Express or Fastify. */
export function answerNode(
  parts: WebFetchParts,
  incoming: IncomingMessage & { readonly originalUrl?: string },
  outgoing: ServerResponse,
  makeId: () => string,
): void {
  const { shell, proxies, admission, prefix, headerBytes } = parts
  // Express takes the path below which a handler is mounted off `url`.
  const target = incoming.originalUrl ?? incoming.url ?? '/'
  const request = new NodeRequest({
    incoming,
    outgoing,
    proxies,
    admission,
    makeId,
    expectsContinue: false,
    prefix,
    target,
  })
  const send = (response: PlainResponse): void => {
    try {
      writeResponse(request, response, false)
      holdUntilTaken(request, response, admission)
    } catch (error) {
      writeResponse(request, shell.refuse(request, error), true)
    }
  }
  const fault = faultOf(request, headerBytes) ?? repeatedHeader(incoming)
  const response = fault ? shell.refuse(request, fault) : shell.answer(request)
  if (response instanceof Promise) void response.then(send)
  else send(response)
}

/** A server of our own joins repeated headers, which makes these invalid. Others keep the first one. */
const repeatedHeader = ({ headersDistinct }: IncomingMessage) => {
  const repeated = ['authorization', 'host'].find((name) => (headersDistinct[name]?.length ?? 0) > 1)
  return repeated
    ? problem('bad-request', { detail: `The header ${repeated} is there more than once. Send it once.` })
    : null
}
