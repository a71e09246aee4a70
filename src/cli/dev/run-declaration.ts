import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clockFromEnvironment } from '../../clock.ts'
import type { Model } from '../../compile/model.ts'
import { warningsOf } from '../../compile/warnings.ts'
import { refuseBrokenPromises } from '../../contract/broken-promises.ts'
import type { Question } from '../../migrate/decide/questions-to-people.ts'
import { type AdoptedConnections, serveConnections } from '../../serve/listen.ts'
import { runJobs } from '../../serve/run-jobs.ts'
import type { FittingStore, Service } from '../../serve/service.ts'
import type { ShellLogger } from '../../serve/shell.ts'
import { loopback, readWebhookSettings } from '../../webhooks/webhook-settings.ts'
import { compileLoaded, declarationFiles, type LoadedApi, loadApi } from '../load.ts'
import { errorText, type Project, stackText } from '../mistake-places/error-text.ts'
import { followImports, withFilesOf } from '../mistake-places/imported-files.ts'
import { openLoaded } from '../open-loaded.ts'
import { convertPublished, tidyPublished } from './convert-published.ts'
import { developmentKey } from './development-key.ts'
import { endWithParent } from './end-with-parent.ts'
import { type FollowParts, followDeclaration, resetRefusal } from './follow-declaration.ts'
import { explainLast, type LastStatement } from './last-statement.ts'
import type { FromChild, Opened, OpenWanted, ToChild } from './messages.ts'
import { requestLines } from './request-line.ts'
import { sharedStore } from './shared-store.ts'

/**
 * How long connections are still answered after the parent has let this process end. A client that has just got an answer may be sending
 * its next request on the same connection, which must not be refused.
 */
const lingerMs = 50
/** How long requests in flight hold up the end of this process. */
const patienceMs = 1_000

/** A child process of `nounkit dev`: imports, compiles and serves one state of the declaration. Ends when its parent says so, or ends. */
export async function runDeclaration(place: string, parent: number): Promise<number> {
  const running = new RunningDeclaration(place)
  // The terminal sends Ctrl-C to every process. The parent decides when its children end.
  process.on('SIGINT', () => {})
  endWithParent(parent)
  process.on('message', (message: ToChild, socket?: Socket) => {
    if (message.kind === 'adopt') running.adopt(socket)
    else void running.receive(message)
  })
  await Promise.race([running.ended, new Promise((resolve) => process.once('disconnect', resolve))])
  await Promise.race([running.close(), sleep(patienceMs)])
  process.exit()
}

class RunningDeclaration {
  readonly #place: string
  readonly #imports = followImports()
  readonly #last: LastStatement = { statement: null, request: null }
  readonly #clock = clockFromEnvironment(process.env)
  #answer: (answer: string | null) => void = () => {}
  #declared: { readonly api: LoadedApi; readonly model: Model } | null = null
  #service: Service | null = null
  #connections: AdoptedConnections | null = null

  readonly #end = Promise.withResolvers<void>()
  /** Resolves when the parent has said so. */
  readonly ended = this.#end.promise

  constructor(place: string) {
    this.#place = place
  }

  async #load(): Promise<void> {
    const refused = await this.#compile().then(
      () => null,
      (error: unknown) => errorText(error, this.#project()),
    )
    send({ kind: 'loaded', refused, files: this.#imports.all })
  }

  /** The client may have left before the connection came here. */
  adopt(socket: Socket | undefined): void {
    if (socket && this.#connections) this.#connections.adopt(socket)
    else socket?.destroy()
  }

  async receive(message: Exclude<ToChild, { readonly kind: 'adopt' }>): Promise<void> {
    if (message.kind === 'answer') this.#answer(message.answer)
    else if (message.kind === 'end') this.#end.resolve()
    else if (message.kind === 'load') await this.#load()
    else if (message.kind === 'explain') await this.#explain()
    else
      await this.#open(message.open).then(
        (opened) => send({ kind: 'opened', refused: null, opened }),
        (error: unknown) =>
          send({ kind: 'opened', refused: errorText(error, this.#project()), opened: null }),
      )
  }

  async close(): Promise<void> {
    await this.#connections?.stop({ lingerMs, graceMs: patienceMs })
    await this.#service?.close()
  }

  async #compile(): Promise<void> {
    const { files, contracts } = declarationFiles(this.#place)
    for (const file of [...files, ...withFilesOf(contracts)]) this.#imports.add(file)
    const api = await loadApi(this.#place)
    const model = compileLoaded(api)
    refuseBrokenPromises(model, api.frozen)
    this.#declared = { api, model }
  }

  async #open(open: OpenWanted): Promise<Opened> {
    if (!this.#declared) throw new Error('the declaration was not loaded')
    const { api, model } = this.#declared
    const parts: FollowParts = {
      api,
      model,
      place: this.#place,
      open,
      clock: this.#clock,
      ask: (question) => this.#ask(question),
      beforeLock: async () => void (await this.#ask(null)),
      say: print,
    }
    const followed = await followDeclaration(parts)
    const notes = [...(followed?.notes ?? (await tidyPublished(parts)))]
    const service = await this.#openService(parts, followed).catch(async (refused: unknown) => {
      notes.push(...(await convertPublished(refused, parts)))
      return this.#openService(parts, null)
    })
    this.#service = service
    if (open.alone) notes.push(...(await sharedStore(service.store, this.#clock)))
    const key = await developmentKey(service, this.#clock, open.url)
    this.#connections = await this.#serve(service)
    return {
      title: model.title,
      versions: model.versions.map(({ name }) => name),
      store: service.store.dialect.name,
      notes,
      warnings: warningsOf(model),
      whyNoReset: resetRefusal(parts),
      key,
    }
  }

  #openService({ api, model }: FollowParts, fitting: FittingStore | null): Promise<Service> {
    return openLoaded(api, {
      model,
      ...(fitting && { fitting }),
      clock: this.#clock,
      // The promises were looked at when the declaration was compiled, and nobody needs an issuer to develop.
      gate: () => {},
      webhooks: readWebhookSettings(process.env, loopback),
      warn: (message, error) => this.#warn(message, error),
      jobs: { stopMs: patienceMs },
      isDevelopment: true,
      onStatement: (sql, values) => {
        this.#last.statement = { sql, values }
      },
    })
  }

  #serve(service: Service): Promise<AdoptedConnections> {
    const logger: ShellLogger = {
      error: ({ err }, message) => this.#warn(message, err),
      info: ({ status }, message) => print(`${status} ${message}`),
    }
    runJobs(service, logger)
    return serveConnections({ service, log: { logger, accessLog: requestLines(this.#last, print) } })
  }

  /** Asks the parent. */
  #ask(question: Question | null): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    this.#answer = resolve
    send({ kind: 'asked', question })
    return promise
  }

  async #explain(): Promise<void> {
    if (this.#service) print(await explainLast(this.#last, this.#service.store))
  }

  #project(): Project {
    const files = this.#imports.texts()
    const main = declarationFiles(this.#place).files.find((file) => files.has(file))
    return { files, main: main ?? this.#place }
  }

  /** The error is null where the message says it all. */
  #warn(message: string, error: unknown): void {
    if (error === null) return console.error(message)
    const text = error instanceof Error ? stackText(error, this.#project()) : String(error)
    console.error(`${message}: ${text}`)
  }
}

/** A parent that has ended needs no answer. */
const send = (message: FromChild): void => void (process.connected && process.send?.(message))

const print = (line: string): void => console.log(line)
