import { expect, test } from 'vitest'
import { answersOf, holdsToWrite } from '../../src/call/grants.ts'
import { noInclude } from '../../src/call/included.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { Planner } from '../../src/plan/planner.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { createRouter } from '../../src/serve/route.ts'
import { includeOf, toldAll } from '../support/told-all.ts'
import { trade } from '../support/trade.ts'

const model = compileApi(trade)
const router = createRouter(model)
const targetOf = (path: string) => {
  const target = router.find(path)
  if (!target) throw new Error(`there is no ${path}`)
  return target
}

const all = new Set(['*'])
const finance = new Set(['deals:read', 'trade:finance'])
const privateNames = new Set(['deals:read', 'buyers:private'])
const none = new Set(['deals:read'])

test('a statement is planned once for all callers with the same answers to the scopes of its resources', () => {
  const planner = new Planner(sqlite)
  const deals = targetOf('/v2/deals')
  const { list } = readListQuery('', deals.view, 5_000, toldAll)
  const plan = (grants: ReadonlySet<string>) => planner.list(deals, list, null, grants)
  expect(plan(finance)).toBe(plan(all))
  expect(plan(privateNames)).toBe(plan(none))
  expect(plan(none)).not.toBe(plan(all))
})

test('the scopes of included resources count too', () => {
  const planner = new Planner(sqlite)
  const deals = targetOf('/v2/deals/01a1eb63-1a66-7000-a217-268da46bbca5')
  const buyer = includeOf('buyer', deals.view)
  expect(buyer.asks).toEqual(['buyers:private', 'trade:finance'])
  expect(planner.one(deals, noInclude, privateNames)).toBe(planner.one(deals, noInclude, none))
  expect(planner.one(deals, buyer, privateNames)).not.toBe(planner.one(deals, buyer, none))
})

test('a resource that asks for no scope has one plan for all callers', () => {
  expect(model.resources.get('deals')?.asks).toEqual(['trade:finance'])
  expect(answersOf(none, [])).toBe(answersOf(all, []))
})

test('* holds every scope of the own account, and for shared rows only what reading needs', () => {
  const [deals, goods] = ['deals', 'goods'].map((name) => model.resources.get(name))
  if (!deals || !goods) throw new Error('the model lacks a resource')
  expect(answersOf(all, goods.asks)).toBe('1')
  expect(holdsToWrite(all, 'trade:finance', deals)).toBe(true)
  expect(holdsToWrite(all, 'trade:finance', goods)).toBe(false)
  expect(holdsToWrite(finance, 'trade:finance', goods)).toBe(true)
})
