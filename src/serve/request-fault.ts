import { type Problem, problem } from '../problems.ts'
import { isHost, type NodeRequest } from './node-request.ts'

/** Checks a parsed request against rules of HTTP that node:http does not check. Null when it is valid. */
export const faultOf = (
  { incoming, headers, elsewhere }: NodeRequest,
  headerBytes: number,
): Problem | null => {
  const { url = '' } = incoming
  if (incoming.httpVersionMajor !== 1) return versionUnsupported(incoming.httpVersion)
  const tooLong = longUrl(url, headerBytes)
  if (tooLong) return tooLong
  const { host } = headers
  if (host === undefined ? incoming.httpVersionMinor > 0 : host !== '' && !isHost(host))
    return badRequest('A request needs exactly one Host header, with a valid host.')
  // RFC 9112 §3.2.4: the asterisk names the server as a whole, which only OPTIONS can ask about.
  if (url === '*' && incoming.method !== 'OPTIONS')
    return badRequest('The target * is for OPTIONS only. Name a path.')
  const coding = headers['transfer-encoding']
  const fault = coding === undefined ? null : codingFault(coding, incoming.httpVersionMinor)
  return fault ?? elsewhere
}

/** The URL may take half of the limit on the request line and headers. */
export const longUrl = (url: string, headerBytes: number): Problem | null => {
  const limit = Math.floor(headerBytes / 2)
  if (url.length <= limit) return null
  const detail = `The URL may have at most ${limit} bytes, this one has ${url.length}.`
  return problem('uri-too-long', { detail, members: { limit } })
}

/** RFC 9110 §15.6.6: 505 is for another major version. */
export const versionUnsupported = (version: string): Problem =>
  problem('http-version-unsupported', { detail: `HTTP/${version} is not supported. Send HTTP/1.1.` })

/** RFC 9112 §6.1: an unknown coding is 501. In HTTP/1.0, which has no codings, the framing is faulty. */
const codingFault = (coding: string, minor: number): Problem | null => {
  if (minor === 0) return badRequest('HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.')
  const name = coding.toLowerCase()
  if (name === 'chunked') return null
  if (!/,\s*chunked$/.test(name))
    return badRequest(
      'The last transfer coding must be chunked, without parameters. Otherwise the body has no end.',
    )
  return problem('transfer-coding-unknown', {
    detail: 'The body has a transfer coding other than chunked, which is the only one supported.',
  })
}

const badRequest = (detail: string): Problem => problem('bad-request', { detail })
