import { promises as dns, type LookupAddress } from 'node:dns'

/** How long one question to a name server may take, and how often it is asked. */
const options = { timeout: 3_000, tries: 2 }

/**
 * Finds the addresses of a name by DNS, from the system's name servers unless others are said. The system's own lookup would take a thread of the few that the process has, for as long as a name
 * server does not answer: some names without an answer would hold up all others.
 */
export function resolveNames(
  servers?: readonly string[],
): (name: string) => Promise<readonly LookupAddress[]> {
  const resolver = new dns.Resolver(options)
  if (servers) resolver.setServers(servers)
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer, at) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
        : [],
    )
    const [first] = answers
    if (found.length === 0 && first.status === 'rejected') throw first.reason
    return found
  }
}
