import type { Method } from '../../declare/resource.ts'
import { ruleKinds } from '../../declare/rule.ts'
import type { Contract, ContractResource } from '../contract-format.ts'
import { hyphenated } from '../names/name-rules.ts'
import { auditCollection } from '../resources/audited-resources.ts'
import { eitherOrParameter } from '../resources/either-or-limits.ts'
import { hideField } from './absence.ts'
import { publishedField } from './published-field.ts'
import {
  type Draft,
  type DraftRelation,
  type DraftTotals,
  type DraftView,
  joinOf,
  viewOfResource,
} from './view-draft.ts'

/**
 * Makes an older version what its frozen contract says. The version was computed from the next newer one by taking back its changes, so
 * it still has all that needs no change: what was added since, and what was relaxed or raised since. What was added is hidden; what was
 * relaxed or raised is set back.
 *
 * For example, v2 adds the optional field `orders.note` and raises `pageMax` from 100 to 200. v1 lists no change for either. Its
 * contract has no `note` and the limit 100, so v1 neither shows nor takes `note`, and its pages end at 100 rows.
 *
 * What breaks the contract, such as a lower limit or a new required field, is left as it is, for the gate (contract/gate.ts) to report.
 */
export const hideUnfrozen = (draft: Draft, frozen: Contract): Draft => {
  const published = new Map<string, DraftView>()
  for (const [name, view] of draft) {
    const contract = frozen.resources[name]
    if (contract) published.set(name, publishedView(view, contract, frozen))
  }
  return new Map(
    [...published].map(([name, view]) => {
      const totals = view.totals && publishedTotals(view.totals, frozen.resources[name], published)
      return [name, { ...withoutLostTargets(view, published, frozen), totals }]
    }),
  )
}

/** A field that newer versions removed is still counted by where it was published. */
const publishedTotals = (
  totals: DraftTotals,
  contract: ContractResource | undefined,
  published: Draft,
): DraftTotals => {
  const rows = viewOfResource(published, totals.of)?.[1]
  const listed = (names: readonly string[], known: readonly string[]) =>
    names.flatMap((name) => {
      const field = rows?.fields.get(name)?.field
      return field && (field.kept || known.includes(field.name)) ? [field.name] : []
    })
  const { by = [], sums = [] } = contract?.totals ?? {}
  return { ...totals, by: listed(by, totals.by), sums: listed(sums, totals.sums) }
}

const publishedView = (view: DraftView, contract: ContractResource, frozen: Contract): DraftView => {
  const listed = withoutNewFields(view, contract)
  return {
    ...listed,
    fields: new Map(
      [...listed.fields].map(([name, field]) => [name, publishedField(field, contract.fields[name])]),
    ),
    relations: publishedRelations(listed, contract),
    includePaths: amongst(listed.includePaths, contract.include),
    filters: amongst(listed.filters, Object.keys(contract.filters)),
    sorts: amongst(listed.sorts, contract.sorts),
    searched: amongst(listed.searched, contract.search ?? []),
    counted: listed.counted && takes('count', view.name, frozen),
    eitherOr: takes(eitherOrParameter, view.name, frozen),
    bulk: listed.bulk && contract.bulk === true,
    methods: amongst(listed.methods, publishedMethods(view.name, frozen)),
    reads: publishedReads(listed.reads, view.name, frozen),
    topLevel: listed.topLevel && frozen.paths[`/${view.name}`] !== undefined,
    events: listed.events && (frozen.events?.types.includes(`${view.name}.created`) ?? false),
    audited: listed.audited && publishedAudit(view.name, frozen),
    limits: publishedLimits(listed.limits, contract),
    rate: publishedRate(listed.rate, contract),
    idempotency: publishedIdempotency(listed.idempotency, contract),
    requireIfMatch: listed.requireIfMatch || contract.if_match === 'required',
    cacheControl: contract.cache_control,
    publishedRules: publishedRules(listed, contract),
    description: contract.description ?? '',
  }
}

/** The collection of audit entries lists the resources of which it has entries. */
const publishedAudit = (resource: string, { resources }: Contract): boolean => {
  const named = resources[auditCollection]?.fields.resource?.response?.schema.enum
  return Array.isArray(named) && named.includes(resource)
}

const amongst = <T extends string>(names: ReadonlySet<T>, listed: readonly string[]): ReadonlySet<T> =>
  new Set([...names].filter((name) => listed.includes(name)))

/** A new field that must be sent cannot be hidden: it stays, and breaks the contract. */
const withoutNewFields = (view: DraftView, contract: ContractResource): DraftView => {
  const added = [...view.fields].filter(
    ([name, { required, readOnly }]) => !contract.fields[name] && (!required || readOnly),
  )
  return added.reduce((at, [name]) => hideField(at, name), view)
}

const publishedRelations = ({ relations }: DraftView, contract: ContractResource): DraftView['relations'] => {
  const published = new Map<string, DraftRelation>()
  for (const [name, relation] of relations) {
    const listed = contract.relations[name]
    if (!listed) continue
    published.set(name, {
      ...relation,
      cap: Math.min(relation.cap, listed.rows ?? relation.cap),
      description: listed.description ?? '',
    })
  }
  return published
}

const publishedMethods = (resource: string, { paths }: Contract): readonly string[] =>
  Object.values(paths).flatMap((operations) =>
    Object.keys(operations).filter((method) => operations[method as Method]?.resource === resource),
  )

const publishedReads = (
  { one, list }: DraftView['reads'],
  resource: string,
  { paths }: Contract,
): DraftView['reads'] => {
  const read = Object.keys(paths).filter((path) => paths[path]?.GET?.resource === resource)
  const ofOne = (path: string) => path.endsWith('}')
  return { one: one && read.some(ofOne), list: list && !read.every(ofOne) }
}

const takes = (parameter: string, resource: string, { paths }: Contract): boolean =>
  Object.values(paths).some(({ GET }) => GET?.resource === resource && GET.parameters.includes(parameter))

const publishedLimits = (limits: DraftView['limits'], contract: ContractResource): DraftView['limits'] => {
  const lower = Object.entries(limits).map(([name, value]) => [
    name,
    Math.min(value, contract.limits[name] ?? value),
  ])
  return Object.fromEntries(lower) as unknown as DraftView['limits']
}

/** The older version keeps its rate where the rate was raised or removed since. */
const publishedRate = (rate: DraftView['rate'], { rate: listed }: ContractResource): DraftView['rate'] => {
  if (!listed) return rate
  const before = { perSecond: listed.per_second, burst: listed.burst }
  const isRaised = rate === null || (rate.perSecond >= before.perSecond && rate.burst >= before.burst)
  return isRaised ? before : rate
}

const publishedIdempotency = (
  { mode, storesBody }: DraftView['idempotency'],
  { idempotency }: ContractResource,
): DraftView['idempotency'] => ({
  mode: mode === 'optional' ? idempotency.mode : mode,
  storesBody: storesBody && idempotency.replay === 'stored',
})

/** A rule on rows that a change declares, or that is gone since, stays in the contract as it was published. */
const publishedRules = (
  view: DraftView,
  { row_rules = {} }: ContractResource,
): DraftView['publishedRules'] => {
  const gone = ruleKinds.filter((kind) => view.resource.rules[kind] === null && row_rules[kind] !== undefined)
  const kinds = new Set([...view.publishedRules.keys(), ...gone])
  return new Map([...kinds].map((kind) => [kind, row_rules[kind] ?? null]))
}

/** Relations, sub-collections and include paths that lead through something hidden are hidden too. */
const withoutLostTargets = (view: DraftView, published: Draft, frozen: Contract): DraftView => {
  const relations = new Map(
    [...view.relations].filter(([, one]) =>
      [one.relation.target, joinOf(one)].every((each) => !each || viewOfResource(published, each.name)),
    ),
  )
  const leads = (path: string): boolean => {
    let at: DraftView | undefined = { ...view, relations }
    for (const step of path.split('.')) {
      const relation = at?.relations.get(step)
      if (!relation) return false
      at = viewOfResource(published, relation.relation.target.name)?.[1]
    }
    return true
  }
  return {
    ...view,
    relations,
    includePaths: new Set([...view.includePaths].filter(leads)),
    under: view.under.filter(({ owner, relation }) => {
      const over = viewOfResource(published, owner)?.[1]
      return (
        over?.relations.has(relation) &&
        frozen.paths[`/${over.name}/{id}/${hyphenated(relation)}`] !== undefined
      )
    }),
  }
}
