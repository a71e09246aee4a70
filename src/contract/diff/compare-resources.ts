import type { Contract, ContractRelation, ContractResource } from '../../compile/contract-format.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { judgeCaching } from './cache-control.ts'
import { compareFields } from './compare-fields.ts'
import { compareRowRules } from './compare-row-rules.ts'
import { compareLimits, compareNames, compareRates } from './compare-services.ts'
import { compareStateRules } from './compare-state-rules.ts'
import {
  additive,
  breaking,
  type Difference,
  type Differences,
  heldBack,
  matched,
  type Say,
  sayAt,
} from './difference.ts'

export const compareResources = (from: Contract['resources'], to: Contract['resources']): Differences => {
  const { both, gone, come } = matched(from, to)
  return [
    ...gone.map((name) =>
      whole(name, breaking, 'resource and its endpoints were removed, renamed or re-rooted', from),
    ),
    ...come.map((name) => whole(name, additive, 'resource and its endpoints were added', to)),
    ...both.flatMap(([name, before, after]) => compareResource(name, before, after)),
  ]
}

const whole = (
  resource: string,
  verdict: Difference['verdict'],
  what: string,
  { [resource]: contract }: Contract['resources'],
): Difference => {
  const kind = verdict === breaking ? 'resource removed' : 'resource added'
  return sayAt('resource', resource, { resource, from: contract })(verdict, what, kind)
}

const compareResource = (name: string, from: ContractResource, to: ContractResource): Differences => [
  ...compareFields(name, from.fields, to.fields),
  ...compareRelations(name, from.relations, to.relations),
  ...compareNames(from.include, to.include, 'query', name, 'include', name),
  ...compareFilters(name, from.filters, to.filters),
  ...compareNames(from.sorts, to.sorts, 'query', name, 'sort', name),
  ...compareTotals(name, from, to),
  ...compareNames(from.search ?? [], to.search ?? [], 'query', name, 'search', name),
  ...compareRules(name, from, to),
  ...compareUniques(name, from, to),
  ...compareStateRules(name, from, to),
  ...compareSharing(name, from, to),
  ...compareRowRules(name, from, to),
  ...compareLimits(from.limits, to.limits, 'rule', `${name}.limits`, name),
  ...compareRates(from.rate, to.rate, 'rule', `${name}.rate`),
  ...compareWords(name, from, to),
]

const compareRelations = (
  resource: string,
  from: ContractResource['relations'],
  to: ContractResource['relations'],
): Differences => {
  const { both, gone, come } = matched(from, to)
  const say = (name: string): Say =>
    sayAt('relation', `${resource}.${name}`, { resource, name, from: from[name], to: to[name] })
  return [
    ...gone.map((name) => say(name)(breaking, 'relation was removed', 'relation removed')),
    ...come.map((name) => say(name)(additive, 'relation was added', 'relation added')),
    ...both
      .filter(([, before, after]) => before.kind !== after.kind || before.resource !== after.resource)
      .map(([name, before, after]) =>
        say(name)(
          breaking,
          `leads to ${after.resource} (${after.kind}) in place of ${before.resource} (${before.kind})`,
          'relation changed',
        ),
      ),
    ...both
      .filter(([, before, after]) => ledBy(before) && ledBy(after) && ledBy(before) !== ledBy(after))
      .map(([name, before, after]) =>
        say(name)(breaking, `leads ${ledBy(after)}, no longer ${ledBy(before)}`, 'relation changed'),
      ),
    ...both
      .filter(([, before, after]) => before.unchecked !== after.unchecked)
      .map(([name, , after]) =>
        after.unchecked
          ? say(name)(breaking, 'the row that it names may be missing', 'relation changed')
          : say(name)(additive, 'the row that it names is always there', 'relation changed'),
      ),
    ...both.flatMap(([name, before, after]) => compareRows(resource, name, before, after)),
  ]
}

/** Null where the version does not show it. */
const ledBy = ({ by, through }: ContractRelation): string | null => {
  if (through !== undefined) return `through ${through}`
  return by === undefined ? null : `by ${by}`
}

const compareRows = (
  resource: string,
  name: string,
  from: ContractRelation,
  to: ContractRelation,
): Differences =>
  from.rows === undefined || to.rows === undefined
    ? []
    : compareLimits({ rows: from.rows }, { rows: to.rows }, 'relation', `${resource}.${name}`)

const compareFilters = (
  resource: string,
  from: ContractResource['filters'],
  to: ContractResource['filters'],
): Differences => [
  ...compareNames(Object.keys(from), Object.keys(to), 'query', resource, 'filter', resource),
  ...matched(from, to).both.flatMap(([name, before, after]) =>
    compareNames(before, after, 'query', `${resource}.${name}`, 'filter operator'),
  ),
]

/** From the least to the most demanding for a sender. */
const modes = ['off', 'optional', 'required']

const compareRules = (resource: string, from: ContractResource, to: ContractResource): Differences => {
  const found: Difference[] = []
  const say = sayAt('rule', resource, { resource })
  const add = (...words: Parameters<Say>): number => found.push(say(...words))
  const [mode, nowMode] = [from.idempotency.mode, to.idempotency.mode]
  if (mode !== nowMode) {
    const harmless = nowMode === 'optional' && modes.includes(mode)
    add(harmless ? additive : breaking, `Idempotency-Key ${mode} became ${nowMode}`, `key ${nowMode}`)
  }
  if (from.idempotency.replay !== to.idempotency.replay) {
    const verdict = to.idempotency.replay === 'stored' ? additive : breaking
    add(verdict, `a replay shows the ${to.idempotency.replay} body`, 'replay')
  }
  if (from.bulk !== to.bulk) {
    const [verdict, what, kind] = to.bulk
      ? ([additive, 'takes', 'bulk added'] as const)
      : ([breaking, 'no longer takes', 'bulk removed'] as const)
    add(verdict, `POST ${what} a list of rows`, kind)
  }
  if (from.if_match !== to.if_match) {
    add(to.if_match === 'required' ? breaking : additive, `If-Match became ${to.if_match}`, 'if-match')
  }
  if (!sameJson(from.default_sort, to.default_sort)) {
    add(breaking, `default sort ${from.default_sort.join()} became ${to.default_sort.join()}`, 'default sort')
  }
  if (from.cache_control !== to.cache_control) {
    const verdict = judgeCaching(from.cache_control, to.cache_control)
    const more = verdict === breaking ? ': answers are kept longer, or by more caches' : ''
    add(verdict, `Cache-Control ${from.cache_control} became ${to.cache_control}${more}`, heldBack.caching)
  }
  return found
}

const compareUniques = (resource: string, from: ContractResource, to: ContractResource): Differences => {
  const names = (sets: ContractResource['unique']) =>
    Object.fromEntries(sets.map((set) => [set.join(', '), set]))
  const { gone, come } = matched(names(from.unique), names(to.unique))
  const difference = (set: string, verdict: Difference['verdict'], what: string): Difference =>
    sayAt('rule', resource, { resource, name: set })(verdict, `${set} ${what}`, 'unique')
  // A consumer that cannot send a new field cannot collide in it, unless a default is stored.
  const collides = (name: string) =>
    from.fields[name] !== undefined || to.fields[name]?.request?.default !== undefined
  const isImplied = (set: readonly string[]) =>
    from.unique.some((known) => known.every((name) => set.includes(name)))
  const isTighter = (set: readonly string[] = []) => set.every(collides) && !isImplied(set)
  return [
    ...come.map((set) =>
      difference(
        set,
        isTighter(names(to.unique)[set]) ? breaking : additive,
        'must now be unique (a constraint newly set)',
      ),
    ),
    ...gone.map((set) => difference(set, additive, 'need no longer be unique')),
  ]
}

/** A group that is gone is a field and a sort that is gone. */
const compareTotals = (resource: string, from: ContractResource, to: ContractResource): Differences => {
  const say = sayAt('rule', resource, { resource })
  const [before, after] = [from.totals?.of, to.totals?.of]
  if (before !== after)
    return [
      say(
        breaking,
        `shows ${after ? `totals of ${after}` : 'rows'} in place of ${before ? `totals of ${before}` : 'rows'}`,
        'totals',
      ),
    ]
  return []
}

const compareSharing = (resource: string, from: ContractResource, to: ContractResource): Differences => {
  if (from.shared === to.shared) return []
  const what = to.shared ? 'rows are now seen by all accounts' : 'rows are now seen by their own account only'
  return [sayAt('rule', resource, { resource })(breaking, what, 'shared')]
}

const compareWords = (resource: string, from: ContractResource, to: ContractResource): Differences => {
  const changed = (where: string) =>
    sayAt('words', where, { resource })(additive, 'description changed', 'words')
  return [
    ...(from.description === to.description ? [] : [changed(resource)]),
    ...matched(from.fields, to.fields)
      .both.filter(([, before, after]) => before.description !== after.description)
      .map(([name]) => changed(`${resource}.${name}`)),
  ]
}
