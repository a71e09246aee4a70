import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { client } from './client/nounkit-client.ts'
import { systemClock } from './clock.ts'
import type { ApiDeclaration } from './declare/api.ts'
import { KeyRing } from './guard/key-ring.ts'
import type { RunnerSettings } from './jobs/runner.ts'
import { webFetch } from './serve/mounted.ts'
import { runDueJobs, runJobs } from './serve/run-jobs.ts'
import { openService, type Service } from './serve/service.ts'
import type { ShellLogger } from './serve/shell.ts'
import type { ApiUnderTest, TestKey, TestSettings } from './test-types.ts'
import type { WebhookSettings } from './webhooks/webhook-settings.ts'

/** Settings that only tests of the engine itself use. */
export interface TestOptions extends TestSettings {
  /** How webhooks are sent. */
  readonly webhooks?: Partial<WebhookSettings>
  /** How jobs are run by themselves. */
  readonly jobSettings?: Partial<RunnerSettings>
}

/** The parts of the service are for tests of the engine itself. */
export interface TestApi<Api = ApiDeclaration> extends ApiUnderTest<Api> {
  readonly service: Service
}

/** Serves a declaration on a throwaway store. */
export async function testApi<Api extends ApiDeclaration>(
  declaration: Api,
  options: TestOptions = {},
): Promise<TestApi<Api>> {
  const folder = options.databaseUrl ? null : await mkdtemp(join(tmpdir(), 'nounkit-test-'))
  const {
    databaseUrl = `sqlite:${join(folder ?? '', 'test.db')}`,
    rate = 'off',
    contracts = {},
    jobs = 'off',
    jobSettings = {},
    ...rest
  } = options
  const frozen = contracts instanceof Map ? contracts : new Map(Object.entries(contracts))
  const service = await openService({
    declaration,
    databaseUrl,
    rate,
    beatMs: null,
    contracts: frozen,
    jobs: jobSettings,
    ...rest,
  })
  const { warn = () => {} } = options
  const fetch = webFetch(service, warn)
  const logger: ShellLogger = { error: ({ err }, message) => warn(message, err), info() {} }
  if (jobs === 'on') runJobs(service, logger)
  const keys = new KeyRing(service.store, options.clock ?? systemClock)
  let requests = 0
  let names = 0
  const send = (path: string | Request, init?: RequestInit): Promise<Response> => {
    const request = path instanceof Request ? path : new Request(new URL(path, 'http://localhost'), init)
    return fetch(request, `test-${++requests}`)
  }
  const key = async (first?: string | TestKey, second: TestKey = {}): Promise<string> => {
    const { soleAccount } = service.model
    const [account, wanted] = typeof first === 'string' ? [first, second] : [soleAccount, first ?? second]
    if (account === null) throw new Error("Name the account of the key: api.key('acme')")
    if (soleAccount !== null && account !== soleAccount)
      throw new Error("The API has accounts: 'one': api.key() names none")
    return (await keys.create({ name: `test-${++names}`, ...wanted, account })).secret
  }
  return {
    service,
    fetch: send,
    key,
    async client(first?: string | TestKey, second?: TestKey) {
      const version = service.model.head.name as never
      return client<Api>({ url: 'http://localhost', key: await key(first, second), version, fetch: send })
    },
    runJobs: () => runDueJobs(service, logger),
    async close() {
      fetch.close()
      await service.close()
      if (folder) await rm(folder, { recursive: true, force: true })
    },
  }
}
