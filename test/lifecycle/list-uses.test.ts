import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  changeLimit,
  api as declare,
  removeBulk,
  removeCount,
  removeSearch,
  resource,
  version,
} from '../../src/index.ts'
import { usageReport } from '../../src/lifecycle/usage-report.ts'
import { testApi } from '../../src/testing.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

const books = resource('books', { fields: { title: z.string().max(100) } })
const pens = resource('pens', {
  fields: { name: z.string().max(100) },
  count: true,
  limits: { countRows: 5, pageMax: 50 },
})
const changes = [
  removeSearch('books', 'title'),
  removeCount('books'),
  removeBulk('books'),
  changeLimit('pens', 'countRows', { was: 10 }),
  changeLimit('pens', 'pageMax', { was: 100 }),
]
const shelf = declare('shelf', {
  resources: [books, pens],
  versions: [version('v2'), version('v1', { changes })],
})

describeStores('what calls ask of lists', (stores) => {
  const opened = async () => {
    const clock = setClock('2026-08-01T12:00:00Z')
    const api = await testApi(shelf, { databaseUrl: await stores.url(), clock })
    const headers = {
      authorization: `Bearer ${await api.key('acme', { name: 'till' })}`,
      'content-type': 'application/json',
    }
    const page = async () => {
      await api.service.lifecycle.beat()
      const ada = await OperatorBrowser.signedIn(api, 'ada', clock)
      const { text } = await ada.get('/console/versions/v1')
      return text
        .match(/<tbody>.*?<\/tbody>/s)?.[0]
        .match(/(till of acme|no call shows anybody|calls do not show it)/g)
    }
    return { api, clock, headers, page }
  }

  test('that somebody searches, counts or sends many rows is recorded and shown', async () => {
    const { api, clock, headers, page } = await opened()
    await api.fetch('/v1/books?search=ada', { headers })
    await api.fetch('/v1/books?count=true', { headers })
    await api.fetch('/v1/books', { method: 'POST', headers, body: '{"data":[{"title":"Emma"}]}' })
    await api.fetch('/v1/pens?count=true', { headers })
    expect(await page()).toEqual([...Array(4).fill('till of acme'), 'calls do not show it'])
    const { versions } = await usageReport(api.service.store, api.service.model, clock.now())
    const uses = versions[1]?.consumers
      .find(({ name }) => name === 'till')
      ?.stillUses.flatMap((one) => one.uses)
    expect(uses).toEqual(['searches `books`', 'counts `books`', 'sends lists of `books`', 'counts `pens`'])
    await api.close()
  })

  test('who lists and creates rows one by one uses none of it', async () => {
    const { api, headers, page } = await opened()
    await api.fetch('/v1/books', { headers })
    await api.fetch('/v1/books', { method: 'POST', headers, body: '{"title":"Emma"}' })
    await api.fetch('/v1/pens', { headers })
    expect(await page()).toEqual([...Array(4).fill('no call shows anybody'), 'calls do not show it'])
    await api.close()
  })
})
