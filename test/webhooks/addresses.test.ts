import { describe, expect, test } from 'vitest'
import { addressGuard, readRange } from '../../src/webhooks/addresses.ts'
import { urlFault } from '../../src/webhooks/endpoint-url.ts'

const rangesOf = (...texts: string[]) =>
  texts.map((text) => readRange(text)).filter((range) => range !== null)
const strict = addressGuard([])
const local = addressGuard(rangesOf('127.0.0.0/8'))

describe('where a webhook may be sent', () => {
  test.each(['93.184.216.34', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:2800:220:1::1', '2a00:1450::1'])(
    '%s is public: with TLS only',
    (address) => {
      expect(strict.allows(address, 'https:')).toBe(true)
      expect(strict.allows(address, 'http:')).toBe(false)
    },
  )

  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'not-an-address',
  ])('%s is not public', (address) => {
    expect(strict.allows(address, 'https:')).toBe(false)
  })

  test('a range that the operator allows is allowed without TLS too, and nothing beside it', () => {
    expect(local.allows('127.0.0.1', 'http:')).toBe(true)
    expect(local.allows('127.0.0.1', 'https:')).toBe(true)
    expect(local.allows('10.0.0.1', 'https:')).toBe(false)
    expect(local.allows('::1', 'https:')).toBe(false)
    expect(local.allows('8.8.8.8', 'http:')).toBe(false)
  })

  test.each([
    '',
    '127.0.0.0/33',
    '127.0.0.0/8/8',
    'localhost',
    '::/129',
    '127.0.0.0/-1',
    '127.0.0.0/x',
    '127.1',
  ])('"%s" is not a range', (text) => expect(readRange(text)).toBeNull())
})

describe('the URL of an endpoint', () => {
  test.each([
    ['no URL', 'hooks'],
    ['a relative one', '/hooks'],
    ['an empty one', ''],
    ['a broken port', 'https://receiver.example:99999/'],
    ['a line break', 'https://receiver.example/\r\nX-Injected: 1'],
    ['a tab, which parsers remove', 'https://receiver\t.example/'],
  ])('%s is refused', (_, url) => {
    expect(urlFault(url, strict)).toBe('must be an absolute URL')
  })

  test.each([
    'http://receiver.example/',
    'ftp://receiver.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:,x',
  ])('%s is refused: only https:', (url) => expect(urlFault(url, strict)).toBe('must begin with https:'))

  test.each([
    'https://user@receiver.example/',
    'https://:word@receiver.example/',
    'https://a:b@receiver.example/',
  ])('%s is refused: credentials', (url) =>
    expect(urlFault(url, strict)).toBe('must not have a user name or password'),
  )

  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[2002:a00:1::]/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://localhost%2e/',
    'https://hooks.localhost/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1:8443/',
    'https://0/',
  ])('%s is refused: not public', (url) => {
    expect(urlFault(url, strict)).toBe('leads to an address that is not public')
  })

  test('names and public addresses are accepted; a name is judged when it is called', () => {
    expect(urlFault('https://receiver.example/hooks?shop=1', strict)).toBeNull()
    expect(urlFault('https://93.184.216.34:8443/hooks', strict)).toBeNull()
    expect(urlFault('https://[2606:2800:220:1::1]/', strict)).toBeNull()
  })

  test('an allowed range takes http:, literal addresses and localhost', () => {
    for (const url of ['http://127.0.0.1:3000/', 'https://localhost/', 'http://hooks.internal/'])
      expect(urlFault(url, local)).toBeNull()
    expect(urlFault('http://10.0.0.1/', local)).toBe('leads to an address that is not public')
    expect(urlFault('http://93.184.216.34/', local)).toBe('leads to an address that is not public')
  })
})
