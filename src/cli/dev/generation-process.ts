import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, clockFromEnvironment } from '../../clock.ts'
import type { Model } from '../../compile/model.ts'
import { warningsOf } from '../../compile/warnings.ts'
import { refuseBrokenPromises } from '../../contract/broken-promises.ts'
import { type Connections, serveConnections } from '../../serve/listen.ts'
import { type FittingStore, openService, type Service } from '../../serve/service.ts'
import type { Question } from '../../store/schema/follow/open-decisions.ts'
import { loopback, readWebhookSettings } from '../../webhooks/webhook-settings.ts'
import { databaseUrl, publishedOf } from '../command-store.ts'
import { compileLoaded, declarationFiles, type LoadedApi, loadApi } from '../load.ts'
import { errorText, type Project, stackText } from '../mistake-places/error-text.ts'
import { followImports, type ImportedFiles, withFilesOf } from '../mistake-places/imported-files.ts'
import { developmentKey } from './development-key.ts'
import { endWithParent } from './end-with-parent.ts'
import { type FollowParts, followDeclaration, resetRefusal } from './follow-declaration.ts'
import type { Asked, LoadWanted, Opened, OpenWanted, Reply, ToGeneration, Wanted } from './messages.ts'
import { renamePublished } from './rename-published.ts'
import { requestLines } from './request-line.ts'
import { sharedStore } from './shared-store.ts'
import { warmUp } from './warm-up.ts'
import { explainLast, StatementWatch } from './watched-store.ts'

/**
 * How long connections are still answered after a drain began. A client that has just got an answer may be sending its next request
 * on the same connection, which must not be refused.
 */
const lingerMs = 50
/** How long requests in flight hold up the next generation, and the end of this process after its parent's. */
const patienceMs = 1_000
/** How long requests in flight may take after that. */
const graceMs = 10_000
/** By then, the first process has got its declaration. */
const warmUpAfterMs = 50

/** A child process of `nounkit dev`: imports, compiles and serves one state of the declaration. Ends when its parent does. */
export async function runGeneration(parent: number): Promise<number> {
  const generation = new GenerationProcess()
  // The terminal sends Ctrl-C to every process. The parent decides when its children end.
  process.on('SIGINT', () => {})
  endWithParent(parent)
  warmUpLater()
  process.on('message', (message: ToGeneration, socket?: Socket) => {
    if (message.wanted === 'adopt') generation.adopt(socket)
    else if (message.wanted === 'answer') generation.answer(message.asked, message.answer)
    else if (message.wanted === 'retire') void generation.close().then(() => process.exit())
    else void generation.reply(message).then((reply) => process.send?.(reply))
  })
  await new Promise((resolve) => process.once('disconnect', resolve))
  await Promise.race([generation.close(), sleep(patienceMs)])
  process.exit()
}

/** A process that gets its declaration at once, as the first one does, has no time for it. */
function warmUpLater(): void {
  const timer = setTimeout(() => void warmUp().catch(() => {}), warmUpAfterMs)
  process.once('message', () => clearTimeout(timer))
}

interface Loaded {
  readonly load: LoadWanted
  readonly api: LoadedApi
  readonly model: Model
}

class GenerationProcess {
  readonly #imports: ImportedFiles = followImports()
  readonly #statements = new StatementWatch()
  readonly #clock: Clock = clockFromEnvironment(process.env)
  readonly #asked = new Map<number, (answer: string | null) => void>()
  #lastAsked = 0
  #place = '.'
  #declared: Loaded | null = null
  #service: Service | null = null
  #connections: Connections | null = null
  #draining: Promise<void> | null = null

  /** The client may have left before the connection came here. */
  adopt(socket: Socket | undefined): void {
    if (!socket) return
    if (this.#connections) this.#connections.adopt(socket)
    else socket.destroy()
  }

  answer(asked: number, answer: string | null): void {
    this.#asked.get(asked)?.(answer)
    this.#asked.delete(asked)
  }

  async reply({ id, ...message }: Wanted & { readonly id: number }): Promise<Reply> {
    try {
      const done = await this.#do(message)
      return { id, refused: null, ...this.#filesAfter(message), ...(done && { opened: done }) }
    } catch (error) {
      return { id, refused: errorText(error, this.#project()), ...this.#filesAfter(message) }
    }
  }

  async close(): Promise<void> {
    this.#drain()
    await this.#draining
    await this.#service?.close()
  }

  #drain(): void {
    if (!this.#connections) return
    const service = this.#service
    this.#draining = this.#connections.stop({ lingerMs, graceMs }).then(() => service?.close())
    this.#connections = null
    this.#service = null
  }

  #filesAfter({ wanted }: Wanted): Pick<Reply, 'files'> {
    return wanted === 'load' ? { files: this.#imports.all } : {}
  }

  async #do(message: Wanted): Promise<Opened | null> {
    switch (message.wanted) {
      case 'load':
        await this.#loadApi(message.load)
        return null
      case 'open':
        return this.#open(message.open)
      case 'resume':
        await this.#openService()
        return null
      case 'drain':
        this.#drain()
        await Promise.race([this.#draining, sleep(patienceMs, undefined, { ref: false })])
        return null
      case 'explain':
        if (this.#service) print(await explainLast(this.#statements.last, this.#service.store))
        return null
    }
  }

  async #loadApi(load: LoadWanted): Promise<void> {
    this.#place = load.place
    const { files, contracts } = declarationFiles(load.place)
    for (const file of [...files, ...withFilesOf(contracts)]) this.#imports.add(file)
    const api = await loadApi(load.place)
    const model = compileLoaded(api)
    refuseBrokenPromises(model, api.frozen)
    this.#declared = { load, api, model }
  }

  async #open(open: OpenWanted): Promise<Opened> {
    const { api, model, load } = this.#loaded()
    const parts: FollowParts = {
      api,
      model,
      place: load.place,
      open,
      clock: this.#clock,
      ask: (question) => this.#ask(question),
      say: print,
    }
    const followed = await followDeclaration(parts)
    const notes = [...(followed?.notes ?? [])]
    const service = await this.#openService(followed).catch(async (refused: unknown) => {
      notes.push(...(await renamePublished(refused, parts)))
      return this.#openService()
    })
    if (open.alone) notes.push(...(await sharedStore(service.store, this.#clock)))
    return {
      title: model.title,
      versions: model.versions.map(({ name }) => name),
      store: service.store.dialect.name,
      notes,
      warnings: warningsOf(model),
      whyNoReset: resetRefusal(parts),
      key: await developmentKey(service, this.#clock, load.url),
    }
  }

  #loaded(): Loaded {
    if (!this.#declared) throw new Error('the declaration was not loaded')
    return this.#declared
  }

  async #openService(fitting: FittingStore | null = null): Promise<Service> {
    const { api, model } = this.#loaded()
    const service = await openService({
      declaration: api.declaration,
      model,
      ...(fitting && { fitting }),
      databaseUrl: databaseUrl(api.declaration),
      clock: this.#clock,
      published: publishedOf(api),
      folder: api.folder,
      rate: process.env.NOUNKIT_RATE,
      redisUrl: process.env.NOUNKIT_REDIS_URL,
      webhooks: readWebhookSettings(process.env, loopback),
      warn: (message, error) => this.#warn(message, error),
      watchStore: (store) => this.#statements.store(store),
    })
    this.#service = service
    await this.#serve(service)
    return service
  }

  /** Asks the parent. */
  #ask(question: Question | null): Promise<string | null> {
    const asked = ++this.#lastAsked
    const { promise, resolve } = Promise.withResolvers<string | null>()
    this.#asked.set(asked, resolve)
    process.send?.({ asked, question } satisfies Asked)
    return promise
  }

  async #serve({ model, store, webhooks, engine }: Service): Promise<void> {
    this.#connections = await serveConnections({
      model,
      store,
      webhooks,
      handle: this.#statements.handle(engine.handle),
      signal: engine.signal,
      eventCounters: engine.eventCounters,
      log: {
        logger: {
          error: ({ err }, message) => this.#warn(message, err),
          info: ({ status }, message) => print(`${status} ${message}`),
        },
        accessLog: requestLines(this.#statements, print),
      },
    })
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

const print = (line: string): void => console.log(line)
