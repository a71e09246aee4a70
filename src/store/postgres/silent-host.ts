import type { PostgresClient } from './client.ts'
import { connect, type Server } from './connection.ts'

const lookEveryMs = 250
/** A host that owes an answer for this long may be gone. A statement that takes as long costs one connection to find that it is not. */
const silentMs = 2_000

/**
 * With several hosts, of which one is the primary: a primary that falls silent, and whose standby was promoted meanwhile, would hold its
 * connections until their statements have used up their time. Here another primary is looked for, and where there is one, connections to the
 * silent one are closed.
 */
export class SilentHost {
  readonly #server: Server
  readonly #clients: readonly PostgresClient[]
  readonly #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | null = null

  constructor(server: Server, clients: readonly PostgresClient[]) {
    this.#server = server
    this.#clients = clients
    const { hosts, target } = server.settings
    if (hosts.length > 1 && target === 'primary')
      this.#timer = setInterval(() => this.#look(), lookEveryMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    // The pool counts ticks, so that a pause of this process does not count as silence of the server.
    const isSilent = (client: PostgresClient) => client.silentTicks > 4 && client.silentMs(now) >= silentMs
    const silent = this.#clients.find(isSilent)?.host
    if (silent === undefined) return
    this.#looking ??= this.#lookElsewhere(silent).finally(() => {
      this.#looking = null
    })
  }

  async #lookElsewhere(silent: string): Promise<void> {
    const { hosts } = this.#server
    for (const host of this.#server.settings.hosts) if (host.name === silent) hosts.failed(host)
    try {
      // An attempt to connect to the silent one would take so long that a promotion meanwhile is noticed late.
      const found = await connect(this.#server, { without: silent })
      found.cut()
      // Idle connections as well: the next statement on them would wait.
      for (const client of this.#clients) if (client.host === silent) client.cut()
    } catch {
      // No host answers as the one that is wanted.
    }
  }
}
