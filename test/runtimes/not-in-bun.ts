/** HTTP tests that Bun cannot pass, by their names, and why. They are left out of its run, and `docs/reference/server.md` tells users. */
export const notInBun: readonly (readonly [why: string, ...names: readonly string[]])[] = [
  [
    'Bun answers bytes that are not a request by itself, with 400 or 431 and without a problem that tells the deprecation',
    'in a request line is 505',
    'a refusal before routing says that the version is deprecated',
    'asks what the server can do at all, and needs no key',
    'a URL past all limits is 414 before it is complete',
  ],
  [
    'node:http of Bun knows nothing of a connection before its first request, and cuts connections when a server is closed',
    'stopping (sqlite)',
    'stopping (postgres)',
    'close ends streams and finishes requests; afterwards 503',
    'one address has as many as are still free, and another address is answered',
  ],
  ['JSON.parse of Bun does not say where it stopped', 'is told, what stands there is not'],
  [
    'The calls of functions are counted by the inspector of V8',
    'the first hundred are compared with the known ones, and all are counted',
    'what is longer than declared is not looked at any further',
  ],
  [
    'bun:sqlite does not end an EXPLAIN of a write, so that nothing can be committed',
    'is the same among 10 rows and among 2,000',
  ],
]
