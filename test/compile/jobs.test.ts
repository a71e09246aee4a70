import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { api } from '../../src/declare/api.ts'
import { every, job } from '../../src/declare/job.ts'
import { resource } from '../../src/declare/resource.ts'

const notes = resource('notes', { fields: { text: z.string().max(9) } })
const compiled = (jobs: object) => compileApi(api('diary', { resources: [notes], jobs: jobs as never }))
const nothing = () => {}

function mistakesOf(jobs: object): readonly string[] {
  try {
    compiled(jobs)
    return []
  } catch (error) {
    if (error instanceof Mistakes) return error.message.split('\n')
    throw error
  }
}

test('every mistake in jobs is told with what to write', () => {
  const found = mistakesOf({
    'no name': job(z.object({}), nothing),
    none: () => {},
    noSchema: job({} as never, nothing),
    noCode: job(z.object({}), 'code' as never),
    soon: job(z.object({}), nothing, { retries: ['soon' as never, '-5s' as never] }),
    long: job(z.object({}), nothing, { within: '400d' }),
    many: job(z.object({}), nothing, { retries: Array(51).fill('1s') }),
    typo: job(z.object({}), nothing, { retry: ['1s'] } as never),
    quick: every('0s', nothing),
    cron: every({ cron: '61 * * * *' }, nothing),
    zone: every({ cron: '0 3 * * *', zone: 'Europe/Atlantis' }, nothing),
    past: every({ cron: '0 0 30 2 *' }, nothing),
  })
  for (const start of [
    'jobs.no name: "no name" is not a name of a job.',
    'jobs.none: it must be a job(…) or an every(…).',
    'jobs.noSchema.schema: it must be a Zod schema',
    'jobs.noCode.run: it must be a function.',
    'jobs.soon.retries[0]: "soon" is not a length of time here. Write 1s to 365d',
    'jobs.soon.retries[1]: "-5s" is not a length of time here.',
    'jobs.long.within: "400d" is not a length of time here.',
    'jobs.many.retries: it has 51 waits. Write 50 at most.',
    'jobs.typo: "retry" is not an option. There is "retries", "within".',
    'jobs.quick.schedule: "0s" is not a length of time here.',
    'jobs.cron.schedule: "61 * * * *" in the time zone "UTC" cannot be read:',
    'jobs.zone.schedule: "0 3 * * *" in the time zone "Europe/Atlantis" cannot be read:',
    'jobs.past.schedule:',
  ])
    expect(
      found.filter((line) => line.startsWith(start)),
      `${start}\n${found.join('\n')}`,
    ).toHaveLength(1)
})

test('times of day are those of the zone, also when clocks change', () => {
  const { jobs } = compiled({
    berlin: every({ cron: '30 2 * * *', zone: 'Europe/Berlin' }, nothing),
    hourly: every('1h', nothing),
  })
  const next = (name: string, ...times: readonly string[]): string => {
    const found = jobs.get(name)
    if (found?.kind !== 'regular') throw new Error(name)
    const [now = 0, due] = times.map((time) => Date.parse(time))
    return new Date(found.nextAfter(now, due)).toISOString()
  }
  expect(next('berlin', '2026-03-27T12:00:00Z')).toBe('2026-03-28T01:30:00.000Z')
  // There is no half past two on that day: right after the gap.
  expect(next('berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z')
  expect(next('berlin', '2026-03-29T12:00:00Z')).toBe('2026-03-30T00:30:00.000Z')
  // There are two: the first.
  expect(next('berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z')
  expect(next('berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z')
  expect(next('hourly', '2026-03-01T09:10:00Z')).toBe('2026-03-01T10:10:00.000Z')
  expect(next('hourly', '2026-03-01T12:20:00Z', '2026-03-01T09:10:00Z')).toBe('2026-03-01T13:10:00.000Z')
  expect(next('hourly', '2026-03-01T08:00:00Z', '2026-03-05T09:10:00Z')).toBe('2026-03-01T08:10:00.000Z')
})
