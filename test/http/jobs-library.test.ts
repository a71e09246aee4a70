import { openService, type Service } from 'nounkit/server'
import { expect, test } from 'vitest'
import { whenOver } from '../support/clean-up.ts'
import { jobsApi } from '../support/jobs-api.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

describeStores('a service as a library', (store) => {
  const open = async (given: ReturnType<typeof jobsApi>, database: string, more = {}) => {
    const service: Service<typeof given.declaration> = await openService(given.declaration, {
      database,
      log: 'silent',
      ...more,
    })
    whenOver(() => service.close())
    return service
  }
  const metricsOf = async (service: Pick<Service, 'fetch'>): Promise<string> =>
    (await service.fetch(new Request('http://localhost/metrics'))).text()

  test('runs jobs, unless it is told not to, and counts them', async () => {
    const database = await store.url()
    const given = jobsApi([])
    const idle = await open(given, database, { jobs: 'off' })
    given.runs.bad = () => {
      throw new Error('no')
    }
    await idle.as({ account: 'acme' }).loans.create({ text: 'bad' })
    await idle.as({ account: 'acme' }).loans.create({ text: 'late', at: '2999-01-01T00:00:00Z' })
    expect(given.seen).toEqual([])
    const working = await open(given, database)
    await until(async () => (await metricsOf(working)).includes('nounkit_job_runs_total{result="failed"} 1'))
    await working.as({ account: 'acme' }).loans.create({ text: 'own' })
    await until(() => given.seen.length === 2)
    await working.close()
    const next = await open(given, database)
    await until(async () => (await metricsOf(next)).includes('nounkit_jobs{status="failed"} 1'))
    const metrics = await metricsOf(next)
    expect(metrics).toContain('nounkit_jobs{status="waiting"} 1')
    expect(metrics).toContain('nounkit_jobs_oldest_seconds 0')
  })

  test('refuses a setting of jobs that is neither', async () => {
    const wrong = open(jobsApi(), await store.url(), { jobs: 'never' })
    await expect(wrong).rejects.toThrow(`jobs is "never". Write 'off', or leave it out.`)
  })
})
