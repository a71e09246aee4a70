import { expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api } from '../../src/declare/api.ts'
import { mapValues } from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { type Serving, serve } from '../support/serving.ts'

const why = 'For the test.'
const published = '2026-01-01'
const before = api('moves', {
  resources: [
    resource('jobs', {
      fields: {
        // The moves of "open" stand in another order than the states are first named in.
        stage: states('open', { open: ['held', 'done'], held: ['done', 'open'], done: ['filed'] }),
        phase: states('raw', { raw: ['cut', 'sold'], cut: ['kept'], sold: ['raw'] }),
      },
    }),
  ],
  versions: [version('v1', { published })],
})
const after = api('moves', {
  resources: [
    resource('jobs', {
      fields: {
        stage: states('open', {
          open: ['held', 'done', 'filed'],
          held: ['done', 'open', 'filed'],
          done: ['filed', 'open'],
          filed: ['open'],
        }),
        phase: states('fresh', {
          fresh: ['cut', 'gone', 'split'],
          cut: ['gone', 'split', 'fresh'],
          gone: ['fresh'],
          split: ['gone', 'cut'],
        }),
      },
    }),
  ],
  versions: [
    version('v2', { published: '2026-06-01' }),
    version('v1', {
      published,
      changes: [
        mapValues(
          'jobs',
          'phase',
          { raw: 'fresh', sold: 'gone', kept: 'gone' },
          { onlyInNewer: { split: 'cut' }, why },
        ),
      ],
    }),
  ],
})
const model = compileApi(before)
const contracts = new Map([['v1', contractOf(model, model.head)]])

/** The way v1 itself takes to each state. */
const ways = {
  stage: { open: [], held: ['held'], done: ['done'], filed: ['done', 'filed'] },
  phase: { raw: [], cut: ['cut'], sold: ['sold'] },
}

/** Every move from every state that v1 can reach by itself, and one to a word of v2: what it is answered. */
const answers = async (served: Serving): Promise<readonly (readonly [string, string])[]> => {
  const seen: [string, string][] = []
  for (const field of ['stage', 'phase'] as const) {
    for (const [from, way] of Object.entries(ways[field])) {
      for (const to of [...Object.keys(ways[field]), 'gone']) {
        const { id } = await served.make('/v1/jobs', {})
        const move = (word: string) => served.call('PATCH', `/v1/jobs/${id}`, { body: { [field]: word } })
        for (const word of way) expect((await move(word)).status).toBe(200)
        const { status, text, problem } = await move(to)
        seen.push([
          `${field}: ${from} to ${to}`,
          status === 200 ? '200' : text.replace(problem.instance, '…'),
        ])
      }
    }
  }
  return seen
}

test.each(storeKinds)('a move that v2 added is refused in v1 as it was before, on %s', async (kind) => {
  const first = await serve(kind, await emptyDatabase(kind), { declaration: before, contracts })
  const second = await serve(kind, await emptyDatabase(kind), { declaration: after, contracts })
  const was = await answers(first)
  expect(was.filter(([, answer]) => answer === '200')).not.toHaveLength(0)
  expect(await answers(second)).toEqual(was)
})

test.each(storeKinds)(
  'a state that stands for several moves only as the newest version allows, on %s',
  async (kind) => {
    const served = await serve(kind, await emptyDatabase(kind), { declaration: after, contracts })
    const job = await served.make('/v2/jobs', {})
    const patch = (at: string, phase: string) =>
      served.call('PATCH', `/${at}/jobs/${job.id}`, { body: { phase } })
    expect((await patch('v2', 'split')).status).toBe(200)
    expect((await served.get(`/v1/jobs/${job.id}`)).data.phase).toBe('cut')
    expect((await patch('v1', 'cut')).status).toBe(200)
    expect((await served.get(`/v2/jobs/${job.id}`)).data.phase).toBe('split')
    const refused = await patch('v1', 'raw')
    expect(refused.refusal).toEqual([409, 'transition-not-allowed'])
    expect(refused.problem).toMatchObject({ from: 'cut', to: 'raw', allowed: ['kept'] })
    expect((await patch('v1', 'kept')).data.phase).toBe('sold')
    expect((await served.get(`/v2/jobs/${job.id}`)).data.phase).toBe('gone')
  },
)
