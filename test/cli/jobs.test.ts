import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { describeStores } from '../support/stores.ts'
import { runHere } from './in-process.ts'

const source = `
import { api, job, resource } from 'nounkit'
import { z } from 'zod'

const notes = resource('notes', {
  fields: { text: z.string().max(50) },
  hooks: { afterCreate: ({ text }, { later }) => later('mail', { text }, text === 'late' ? { at: '2999-01-01T00:00:00Z' } : {}) },
})
const mail = job(z.object({ text: z.string() }), ({ text }) => { if (text === 'bad') throw new Error('no such address') }, { retries: [] })
export default api('diary', { resources: [notes], jobs: { mail } })
`

describeStores('nounkit jobs', (store) => {
  test('lists what waits and what has failed, and lets it run again', async () => {
    const folder = declarationFolder(source)
    const databaseUrl = await store.url()
    const { default: declaration } = await import(/* @vite-ignore */ join(folder, 'api.ts'))
    const served = await testApi(declaration, { databaseUrl })
    whenOver(() => served.close())
    const acme = (await served.client('acme')) as unknown as {
      notes: { create(row: object): Promise<unknown> }
    }
    await acme.notes.create({ text: 'bad' })
    await acme.notes.create({ text: 'late' })
    await served.runJobs()
    const env = { DATABASE_URL: databaseUrl }
    const jobs = async (...args: string[]) => runHere(['jobs', folder, ...args], { env })

    const { stdout } = await jobs()
    expect(stdout).toMatch(/mail of acme {2}failed at .* after 1 attempt\n {2}Error: no such address/)
    expect(stdout).toMatch(/mail of acme {2}waiting until 2999-01-01T00:00:00.000Z/)
    const { jobs: failed } = JSON.parse((await jobs('--status', 'failed', '--json')).stdout)
    expect(failed).toMatchObject([
      {
        account: 'acme',
        name: 'mail',
        status: 'failed',
        dueAt: null,
        attempts: 1,
        error: 'Error: no such address',
        payload: { text: 'bad' },
      },
    ])
    expect((await jobs('--account', 'globex')).stdout).toBe('No jobs.\n')
    expect(await jobs('--status', 'done')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('waiting, running, failed'),
    })

    const retry = (...ids: string[]) => runHere(['jobs', 'retry', folder, ...ids], { env })
    expect(await retry()).toMatchObject({ code: 2, stderr: expect.stringContaining('Which jobs?') })
    expect(await retry('7')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"7" is not the id of a job.'),
    })
    const none = '00000000-0000-7000-8000-000000000000'
    expect(await retry(none)).toMatchObject({ code: 1, stderr: expect.stringContaining(none) })
    expect(await retry(failed[0].id)).toMatchObject({ code: 0, stdout: '1 job will run now.\n' })
    expect(await served.runJobs()).toMatchObject([
      { id: failed[0].id, attempt: 1, error: 'Error: no such address' },
    ])
  })
})

test('nounkit work refuses an API without jobs', async () => {
  expect(
    await runHere(['work', 'examples/library'], { env: { DATABASE_URL: 'sqlite:none.db' } }),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The API declares no jobs.'),
  })
})
