import { expect, test } from 'vitest'
import { startNounkit } from '../../bench/contender.ts'
import { measurePromptness, type Promptness } from '../../bench/events/promptness.ts'
import { newAccounts, serveOrders } from '../../bench/events/served.ts'
import { whenOver } from '../support/clean-up.ts'
import { startCluster } from './cluster.ts'

const api = new URL('../../bench/events/with', import.meta.url).pathname

const shown = (all: readonly Promptness[]): string =>
  all
    .map(
      ({ accounts, perSecond, withinP99Ms, acrossP99Ms }) =>
        `${accounts}/${perSecond}: ${withinP99Ms.toFixed(0)} and ${acrossP99Ms.toFixed(0)}`,
    )
    .join('; ')
const explained = 'p99 in ms of accounts/changes a second, at the process that wrote and at another: '

test('on PostgreSQL, streams get events within 50 ms of the answer, and within 250 ms at another process', async ({
  task,
}) => {
  const served = await serveOrders('PostgreSQL')
  whenOver(() => served.close())
  const all = await measurePromptness(served, () => {})
  task.meta.figure = explained + shown(all)
  for (const { withinP99Ms, acrossP99Ms } of all) {
    expect(withinP99Ms).toBeLessThan(50)
    expect(acrossP99Ms).toBeLessThan(250)
  }
}, 300_000)

test('on the cluster, streams get every event', async ({ task }) => {
  const { coordinator } = await startCluster({ api })
  const start = async () => {
    const started = await startNounkit({
      name: 'streams',
      url: coordinator.url,
      key: '',
      api,
      processor: null,
    })
    whenOver(() => started.stop())
    return started
  }
  const first = await start()
  const keys = await newAccounts(coordinator.url, 100)
  const all = await measurePromptness({ with: first, keys, startSecond: start }, () => {}, [30])
  task.meta.figure = explained + shown(all)
  for (const { withinP99Ms, acrossP99Ms } of all)
    expect([withinP99Ms, acrossP99Ms].every(Number.isFinite)).toBe(true)
}, 300_000)
