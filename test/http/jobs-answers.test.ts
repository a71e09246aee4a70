import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { job } from '../../src/declare/job.ts'
import { resource } from '../../src/declare/resource.ts'
import { testApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { storeForms } from '../support/databases.ts'
import { describeStores } from '../support/stores.ts'

const note = job(z.object({ text: z.string().max(20) }), () => {})
/** What the code of an answer may keep, and call when the answer was given. */
let kept: (text: string) => Promise<void>
const mails = resource('mails', {
  fields: { text: z.string().max(20) },
  answers: {
    async create(input, { later }) {
      if (input.text === 'not awaited') void later(note, { text: input.text })
      else await later('note', { text: input.text })
      if (input.text === 'wrong job') await later('note', {}).catch(() => {})
      if (input.text === 'thrown') throw new Error('after the job')
      return input.text === 'wrong answer' ? { text: 7 as never } : input
    },
    async get(id, { later }) {
      await later(note, { text: 'got' })
      return { id, text: 'x' }
    },
    async list(_, { later }) {
      kept = (text) => later(note, { text })
      await later(note, { text: 'listed' })
      return { rows: [] }
    },
  },
})
const declaration = api('post', { resources: [mails], jobs: { note } })

describeStores(
  'jobs that answers hand over',
  (store) => {
    test('are written with the answer, and not without one', async () => {
      const served = await testApi(declaration, { databaseUrl: await store.url() })
      whenOver(() => served.close())
      const key = await served.key('acme')
      const call = async (path: string, text?: string, headers = {}) =>
        (
          await served.fetch(path, {
            method: text === undefined ? 'GET' : 'POST',
            headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
            ...(text !== undefined && { body: JSON.stringify({ text }) }),
          })
        ).status
      const jobs = async () =>
        (await served.service.store.all('SELECT "payload" FROM "nounkit_jobs" ORDER BY "id"', [])).map(
          ([payload]) => JSON.parse(String(payload)).text,
        )
      const keyed = { 'Idempotency-Key': 'once' }
      expect(await call('/v1/mails', 'plain')).toBe(201)
      expect(await call('/v1/mails', 'keyed', keyed)).toBe(201)
      expect(await call('/v1/mails', 'keyed', keyed)).toBe(201)
      expect(await call('/v1/mails', 'not awaited')).toBe(201)
      for (const text of ['thrown', 'wrong answer', 'wrong job'])
        expect([text, await call('/v1/mails', text, { 'Idempotency-Key': text.replace(' ', '-') })]).toEqual([
          text,
          500,
        ])
      expect(await call('/v1/mails/1')).toBe(200)
      expect(await call('/v1/mails')).toBe(200)
      await expect(kept('too late')).rejects.toThrow('later(…) came after the answer: await every call.')
      expect(await jobs()).toEqual(['plain', 'keyed', 'not awaited', 'got', 'listed'])
      expect(await served.runJobs()).toHaveLength(5)
    })
  },
  storeForms,
)
