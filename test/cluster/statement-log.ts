import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnPostgres } from '../support/own-postgres.ts'
import { administer } from './cluster.ts'

/** A statement that a node was sent, and what it did for it. */
export interface Observed {
  readonly text: string
  /** The other nodes to which it sent something because of the statement. */
  readonly nodes: Set<string>
  /** How many commands it sent to them. */
  commands: number
  /** Whether its transaction was committed in two phases. */
  isTwoPhase: boolean
}

interface LogLine {
  readonly pid: number
  readonly application_name?: string
  readonly message: string
  readonly detail?: string
}

const ofTransactions = /^(BEGIN|PREPARE TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET) ?/

const ownCopy = /\bpublic\.\w+_\d{6,}\b/

/** What a node logs of the statements of the program with one `application_name`: nothing that it sends elsewhere is missed. */
export class StatementLog {
  readonly #file: string
  readonly #application: string
  #from = 0

  /** Holds for sessions that begin later. */
  static async start(node: OwnPostgres, application: string): Promise<StatementLog> {
    for (const setting of [
      "log_statement = 'all'",
      "log_min_messages = 'notice'",
      'citus.log_remote_commands = on',
    ])
      await administer(node.url, `ALTER DATABASE postgres SET ${setting}`)
    return new StatementLog(node, application)
  }

  private constructor(node: OwnPostgres, application: string) {
    this.#file = join(node.data, 'log', 'server.json')
    this.#application = application
  }

  /** Forgets what was logged so far. */
  skip(): void {
    this.#from = statSync(this.#file).size
  }

  read(): readonly Observed[] {
    const sessions = new Map<number, Observed[]>()
    const all: Observed[] = []
    for (const line of readFileSync(this.#file).subarray(this.#from).toString().split('\n')) {
      if (!line.startsWith('{') || !line.endsWith('}')) continue
      const { pid, application_name, message, detail = '' } = JSON.parse(line) as LogLine
      if (application_name !== this.#application) continue
      const [, text] = /^(?:statement|execute [^:]*): (.*)$/s.exec(message) ?? []
      const open = sessions.get(pid) ?? []
      // A node logs what it does with its own copies of small tables as statements, too.
      if (text !== undefined && ownCopy.test(text)) continue
      if (text !== undefined) {
        const observed = { text, nodes: new Set<string>(), commands: 0, isTwoPhase: false }
        all.push(observed)
        const isInTransaction =
          /^BEGIN/.test(open[0]?.text ?? '') && !/^(COMMIT|ROLLBACK)/.test(open.at(-1)?.text ?? '')
        sessions.set(pid, isInTransaction ? [...open, observed] : [observed])
        continue
      }
      const [, command] = /^issuing (.*)$/s.exec(message) ?? []
      if (command === undefined) continue
      if (/^PREPARE TRANSACTION/.test(command)) for (const one of open) one.isTwoPhase = true
      const last = open.at(-1)
      const [, node] = /^on server \S+@(\S+)/.exec(detail) ?? []
      if (!last || !node || ofTransactions.test(command)) continue
      last.nodes.add(node)
      last.commands++
    }
    return all
  }
}

/** Statements that concern more than one node, or that are committed in two phases, each text once. */
export const spread = (observed: readonly Observed[]): readonly string[] => [
  ...new Set(
    observed
      .filter(({ text }) => !ofTransactions.test(text))
      .filter(({ nodes, isTwoPhase }) => nodes.size > 1 || isTwoPhase)
      .map(({ text }) => text),
  ),
]
