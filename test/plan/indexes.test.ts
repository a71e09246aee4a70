import { expect, test } from 'vitest'
import { type Caller, noClaims } from '../../src/call/caller.ts'
import type { Target } from '../../src/call/target.ts'
import type { View } from '../../src/compile/model.ts'
import { bound } from '../../src/plan/bind.ts'
import { moveEvents } from '../../src/plan/event-moves.ts'
import type { RowStatement } from '../../src/plan/row-statements.ts'
import { rowsOfIds, takenUniques } from '../../src/plan/whole-rows.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { accountScans, derived, explained, setStatistics, wholeScans } from '../support/explained.ts'
import { sampleOf } from '../support/sample-value.ts'
import { describeServing } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'
import { includeOf, toldAll } from '../support/told-all.ts'

const targetOf = (view: View, id: string | null): Target => ({
  version: view.version,
  view,
  sub: null,
  ownerId: null,
  id,
  unversioned: false,
  template: '',
})

describeServing('indexes', (served) => {
  const views = () => [...served.api.service.model.head.views.values()]
  const allScopes = new Set(['*'])
  const planner = () => served.api.service.engine.writer.planner
  const caller: Caller = {
    account: 'acme',
    consumer: { id: 'key', name: 'key', kind: 'external' },
    scopes: allScopes,
    subject: null,
    claims: noClaims,
  }
  const asked = { by: caller, at: 0 }
  const values = { account: 'acme', asked, id: noId, owner: noId, limit: 26, values: ['a', 'b', 'c', 'd'] }

  test('every relation that can be included is reached by one', async () => {
    for (const view of views()) {
      for (const path of view.includePaths) {
        const statement = planner().one(targetOf(view, noId), includeOf(path, view), allScopes)
        const steps = await explained(served, statement.text, values, statement.slots)
        expect(wholeScans(served, steps), `${view.name} ${path}\n${steps.join('\n')}`).toEqual([])
      }
    }
  })

  test('every filter finds its rows by one, and every sort reads them in its order', async () => {
    const planned = views().filter(({ serves }) => serves === 'rows')
    for (const view of planned.filter(({ topLevel, resource }) => topLevel && !resource.shared)) {
      const queries = [
        ...[...view.filters].map((name) => [`filter[${name}]=${sampleOf(view, name)}`, false] as const),
        ...(view.counted ? ['', ...view.filters] : []).map(
          (name) => [`count=true${name && `&filter[${name}]=${sampleOf(view, name)}`}`, false] as const,
        ),
        ...[...view.sorts].flatMap((name) => [
          [`sort=${name}`, true] as const,
          [`sort=-${name}`, true] as const,
        ]),
      ]
      for (const [query, ordered] of queries) {
        const { list } = readListQuery(query, view, 5000, toldAll)
        const statement = planner().list(targetOf(view, null), list, null, allScopes)
        const given = list.filters.flatMap(({ field, values: asked }) =>
          asked.map((value) => bound(field, value)),
        )
        const steps = await explained(served, statement.text, { ...values, values: given }, statement.slots)
        const said = `${view.name} ${query}\n${steps.join('\n')}`
        expect(wholeScans(served, steps), said).toEqual([])
        if (ordered)
          expect(
            steps.filter((step) => /TEMP B-TREE|-> +Sort /.test(step)),
            said,
          ).toEqual([])
      }
    }
  })

  test('a filter through a relation finds the related rows by one, and then the rows that refer to them', async () => {
    const states = served.kind === 'sqlite' ? (['none', 'one row', 'many rows'] as const) : [null]
    const [view] = views().filter(({ name }) => name === 'orders')
    if (!view) throw new Error('there are no orders')
    for (const state of states) {
      if (state) await setStatistics(served, state)
      for (const query of ['filter[customer.email]=x', 'filter[customer.email][in]=x,y&count=true']) {
        const { list } = readListQuery(query, view, 5000, toldAll)
        const { text, slots } = planner().list(targetOf(view, null), list, null, allScopes)
        const steps = await explained(served, text, values, slots)
        const said = `${query}, statistics: ${state}\n${steps.join('\n')}`
        expect(
          accountScans(served, steps).filter((step) => !derived.test(step)),
          said,
        ).toEqual([])
        const used = steps.join('\n')
        if (served.kind === 'sqlite') expect(used, said).toMatch(/customers[^\n]*email=\?/)
        expect(used, said).toMatch(
          served.kind === 'sqlite' ? /orders[^\n]*customer_id=\?/ : /orders[^\n]*customer_id/,
        )
      }
    }
  })

  test('events without positions are found by one, however many were taken before', async () => {
    if (served.kind === 'sqlite') return
    // With all ways to read allowed: PostgreSQL keeps the plan that it made while the inbox was small.
    const { text, values } = moveEvents(served.store.dialect, ['acme'])
    const rows = await served.store.all(`EXPLAIN ${text}`, values)
    const steps = rows.map((row) => String(row[0]))
    expect(wholeScans(served, steps), steps.join('\n')).toEqual([])
  })

  /** Statements of writes that find stored rows by many given ones, and those that compute sums, each with what it binds. */
  const statementsOfWrites = (): readonly (readonly [string, RowStatement, string])[] => {
    const { model, store, engine } = served.api.service
    const { writes } = engine.writer
    return [...model.resources.values()].flatMap((resource) => {
      const { name, uniques, feeds, belongsTo } = resource
      return [
        [`rows of ${name}`, rowsOfIds(resource, store.dialect), '[]'] as const,
        [`ids of ${name}`, planner().naming(resource, 'id', 'all'), '[]'] as const,
        ...belongsTo.flatMap(({ field }) => [
          [`first ${name} by ${field}`, planner().lockNaming(resource, field, 'first'), '[]'] as const,
          [`other ${name} by ${field}`, planner().lockNaming(resource, field, 'rest'), '[]'] as const,
          [`size of ${name} by ${field}`, planner().measureNaming(resource, field, 9), '[]'] as const,
        ]),
        ...uniques.map(
          (set) => [`unique ${set} of ${name}`, takenUniques(resource, set, store.dialect), '[]'] as const,
        ),
        ...feeds.flatMap((feed) => [
          [`wrong sums of ${name}`, writes.wrongSums(feed, resource), '[]'] as const,
          [`sum of ${name}`, writes.countSum(feed, resource), ''] as const,
        ]),
      ]
    })
  }

  test('writes find stored rows and sums by one, whatever the statistics say', async () => {
    const states = served.kind === 'sqlite' ? (['none', 'one row', 'many rows'] as const) : [null]
    for (const state of states) {
      if (state) await setStatistics(served, state)
      for (const [what, { text, slots }, value] of statementsOfWrites()) {
        const steps = await explained(served, text, { ...values, values: [value, ''] }, slots)
        expect(accountScans(served, steps), `${what}, statistics: ${state}\n${steps.join('\n')}`).toEqual([])
      }
    }
  })
})
