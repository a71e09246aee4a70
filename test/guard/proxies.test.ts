import { expect, test } from 'vitest'
import { createProxies } from '../../src/serve/proxies.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { parseAnswer, rawExchange } from '../support/raw-socket.ts'

const proxies = createProxies(['10.0.0.0/8', 'fd00::/8'])
const clientOf = (headers: Record<string, string>, peer = '10.0.0.1') => proxies?.read(headers, peer).address

test('without declared proxies no forwarded address is trusted', () => {
  expect(createProxies([])).toBe(null)
  expect(createProxies(undefined)).toBe(null)
})

test('only the declared ranges are trusted', () => {
  expect(proxies?.trusts('10.200.3.4')).toBe(true)
  expect(proxies?.trusts('11.0.0.1')).toBe(false)
  expect(proxies?.trusts('fd12::1')).toBe(true)
  expect(proxies?.trusts('')).toBe(false)
})

test('the client is the last address that is no proxy; what stands before it may be forged', () => {
  expect(clientOf({ 'x-forwarded-for': '1.1.1.1, 203.0.113.7, 10.2.2.2' })).toBe('203.0.113.7')
  expect(clientOf({ 'x-forwarded-for': '203.0.113.7:5555' })).toBe('203.0.113.7')
  expect(clientOf({ forwarded: 'for=1.1.1.1, for="[2001:db8::9]:4711";proto=https;host=shop.example' })).toBe(
    '2001:db8::9',
  )
  expect(clientOf({ 'x-forwarded-for': '10.1.1.1, 10.2.2.2' })).toBe('10.1.1.1')
})

test('nonsense ends the walk at the last address that was proven', () => {
  expect(clientOf({ 'x-forwarded-for': '1.1.1.1, unknown, 10.2.2.2' })).toBe('10.2.2.2')
  expect(clientOf({ 'x-forwarded-for': 'nonsense' })).toBe('10.0.0.1')
  expect(clientOf({ forwarded: 'for=_hidden;;=,"' })).toBe('10.0.0.1')
})

test('two headers that disagree are both disbelieved: a client may have sent one of them', () => {
  expect(clientOf({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=1.1.1.1' })).toBe('10.0.0.1')
  expect(clientOf({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' })).toBe('203.0.113.7')
})

test('a declared proxy may give the request its id, if it is a plain one', async () => {
  const shop = await listeningShop({ declare: (declared) => ({ ...declared, proxies: ['127.0.0.1'] }) })
  const idFor = async (id: string) => {
    const text = await rawExchange(
      shop.port,
      `GET /v2 HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
    )
    return parseAnswer(text).headers.get('x-request-id')
  }
  expect(await idFor('edge-42')).toBe('edge-42')
  expect(await idFor('<script>')).not.toBe('<script>')
  expect(await idFor('x'.repeat(200))).toMatch(/^.{1,40}$/)
  await shop.close()
})
