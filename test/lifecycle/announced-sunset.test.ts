import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, resource, version } from '../../src/index.ts'
import { retireVersion } from '../../src/lifecycle/retire-version.ts'
import { readSignals } from '../../src/lifecycle/sent-signals.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import { openService, type Service } from '../../src/serve/service.ts'
import { whenOver } from '../support/clean-up.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

const declared = (sunset?: string) =>
  api('library', {
    resources: [resource('books', { fields: { title: z.string() } })],
    versions: [
      version('v2', { published: '2026-01-01' }),
      version('v1', { deprecated: '2026-01-01', ...(sunset === undefined ? {} : { sunset }) }),
    ],
  })

describeStores('a sunset that callers were sent', (stores) => {
  const clock = setClock('2026-02-01T12:00:00Z')

  /** Serves the API with that sunset, and what it warned of when it started. */
  const serve = async (databaseUrl: string, sunset?: string): Promise<[Service, readonly string[]]> => {
    const warnings: string[] = []
    const service = await openService({
      declaration: declared(sunset),
      databaseUrl,
      clock,
      rate: 'off',
      beatMs: null,
      warn: (message) => void warnings.push(message),
    })
    whenOver(() => service.close())
    return [service, warnings]
  }
  const told = async (service: Service): Promise<string | null | undefined> => {
    await webFetch(service, () => {})(new Request('http://localhost/v1'), 'test')
    await service.lifecycle.beat()
    return (await readSignals(service.store)).get('v1')?.sunset
  }

  test('stays a promise when an earlier one or none is declared: a start reports both', async () => {
    const url = await stores.url()
    const [first, quiet] = await serve(url, '2026-12-31')
    expect(quiet).toEqual([])
    expect(await told(first)).toBe('2026-12-31')
    const [earlier, warned] = await serve(url, '2026-09-30')
    expect(warned).toEqual([
      "Callers of v1 were told that it is served until 2026-12-31, but it is declared to end on 2026-09-30. Declare sunset: '2026-12-31' or later.",
    ])
    expect(await told(earlier)).toBe('2026-12-31')
    const [withdrawn, warnedAgain] = await serve(url)
    expect(warnedAgain).toEqual([
      "Callers of v1 were told that it is served until 2026-12-31, but it has no sunset any more. Declare sunset: '2026-12-31' or later.",
    ])
    expect(await told(withdrawn)).toBe('2026-12-31')
    const [later, quietAgain] = await serve(url, '2027-03-31')
    expect(quietAgain).toEqual([])
    expect(await told(later)).toBe('2027-03-31')
  })

  test('holds up a retirement until it has passed', async () => {
    const url = await stores.url()
    await told((await serve(url, '2026-12-31'))[0])
    const [service] = await serve(url, '2026-09-30')
    const v1 = service.model.versions.find(({ name }) => name === 'v1')
    if (!v1) throw new Error('there is a v1')
    clock.set('2026-11-15T12:00:00Z')
    const options = { clock, windowMs: 86_400_000, by: null, dryRun: true, patienceMs: 0, waiting: () => {} }
    const { blockers } = await retireVersion(service.store, v1, options)
    expect(blockers.map(({ what }) => what)).toContain(
      'v1 is promised until the end of 2026-12-31: its callers were told so, though its declaration says 2026-09-30.',
    )
  })
})
