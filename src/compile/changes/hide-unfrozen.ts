import type { StatesField } from '../../declare/field.ts'
import type { Method } from '../../declare/resource.ts'
import { ruleKinds } from '../../declare/rule.ts'
import type { Contract, ContractField, ContractResource } from '../contract-format.ts'
import { hyphenated } from '../name-rules.ts'
import { schemaInOrderOf } from '../order.ts'
import { compareSchemas } from '../schema-difference.ts'
import { hideField } from './absence.ts'
import { type Draft, type DraftField, type DraftView, viewOfResource } from './view-draft.ts'

/**
 * Additions of newer versions are not part of an older contract: they are hidden there, or stay as the frozen contract
 * has them. A difference that breaks the contract is left as it is, for the gate to report.
 */
export const hideUnfrozen = (draft: Draft, frozen: Contract): Draft => {
  const kept = new Map<string, DraftView>()
  for (const [name, view] of draft) {
    const contract = frozen.resources[name]
    if (contract) kept.set(name, narrowView(view, contract, frozen))
  }
  return new Map([...kept].map(([name, view]) => [name, withoutLostTargets(view, kept, frozen)]))
}

const narrowView = (view: DraftView, contract: ContractResource, frozen: Contract): DraftView => {
  let at = view
  for (const [name, field] of view.fields) {
    if (!contract.fields[name] && (!field.required || field.readOnly)) at = hideField(at, name)
  }
  const has = (names: readonly string[]) => (name: string) => names.includes(name)
  return {
    ...at,
    fields: new Map([...at.fields].map(([name, field]) => [name, narrowField(field, contract.fields[name])])),
    relations: new Map(
      [...at.relations]
        .filter(([name]) => contract.relations[name])
        .map(([name, one]) => [
          name,
          {
            ...one,
            cap: Math.min(one.cap, contract.relations[name]?.rows ?? one.cap),
            description:
              frozen.format === 1 ? one.description : (contract.relations[name]?.description ?? ''),
          },
        ]),
    ),
    includePaths: new Set([...at.includePaths].filter(has(contract.include))),
    filters: new Set([...at.filters].filter(has(Object.keys(contract.filters)))),
    sorts: new Set([...at.sorts].filter(has(contract.sorts))),
    events: at.events && (frozen.events?.types.includes(`${view.name}.created`) ?? false),
    ...narrowRules(at, contract, frozen),
    description: contract.description ?? '',
  }
}

const narrowRules = (view: DraftView, contract: ContractResource, frozen: Contract): Partial<DraftView> => {
  const offered = new Set<string>()
  for (const operations of Object.values(frozen.paths)) {
    for (const [method, one] of Object.entries(operations))
      if (one.resource === view.name) offered.add(method)
  }
  const limits = Object.entries(view.limits).map(([name, value]) => [
    name,
    Math.min(value, contract.limits[name] ?? value),
  ])
  const { mode, storesBody } = view.idempotency
  const { rate } = contract
  return {
    methods: new Set([...view.methods].filter((method: Method) => offered.has(method))),
    topLevel: view.topLevel && frozen.paths[`/${view.name}`] !== undefined,
    limits: Object.fromEntries(limits) as unknown as DraftView['limits'],
    idempotency: {
      mode: mode === 'optional' ? contract.idempotency.mode : mode,
      storesBody: storesBody && contract.idempotency.replay === 'stored',
    },
    requireIfMatch: view.requireIfMatch || contract.if_match === 'required',
    cacheControl: contract.cache_control,
    publishedRules: frozenRules(view, contract),
    rate: rate ? slower(view, { perSecond: rate.per_second, burst: rate.burst }) : view.rate,
  }
}

/** A rule that a change declares, or that is gone since, stays in the contract as it was published. */
const frozenRules = (view: DraftView, { row_rules = {} }: ContractResource): DraftView['publishedRules'] => {
  const gone = ruleKinds.filter((kind) => view.resource.rules[kind] === null && row_rules[kind] !== undefined)
  const kinds = new Set([...view.publishedRules.keys(), ...gone])
  return new Map([...kinds].map((kind) => [kind, row_rules[kind] ?? null]))
}

/** The older version keeps its rate where the rate was raised or removed since. */
const slower = (view: DraftView, rate: NonNullable<DraftView['rate']>): DraftView['rate'] =>
  view.rate === null || (view.rate.perSecond >= rate.perSecond && view.rate.burst >= rate.burst)
    ? rate
    : view.rate

const narrowField = (field: DraftField, contract: ContractField | undefined): DraftField => {
  if (!contract) return field
  const { request, response } = contract
  const nowOptional = request?.required === true && !field.required && !field.nullable
  const nowNullable = request !== undefined && response === undefined && !request.nullable && field.nullable
  const readOnly = field.readOnly || (!request && !field.required && !field.made)
  const promised = onlyAdded(field, contract) ? (request ?? response)?.schema : undefined
  return {
    ...field,
    schema: promised ? schemaInOrderOf(promised, field.schema) : field.schema,
    required: field.required || nowOptional || (nowNullable && request.required),
    nullable: (field.nullable && !nowNullable) || (readOnly && response?.nullable === true),
    readOnly,
    writeOnly: field.writeOnly || !response,
    immutable: field.immutable || request?.immutable === true,
    open: field.open || response?.open === true,
    ...frozenScopes(field, contract),
    default: nowOptional ? undefined : field.default,
    states: field.states && contract.states ? frozenMoves(field.states, contract.states.moves) : field.states,
    description: contract.description ?? '',
  }
}

/**
 * Scopes that are no longer needed stay needed in the older version. Those that a change declares hold there too, and its contract keeps
 * what was published.
 */
const frozenScopes = (
  { needsScopes, publishedScopes }: DraftField,
  { needs_scopes = [] }: ContractField,
): Pick<DraftField, 'needsScopes' | 'publishedScopes'> => {
  if (publishedScopes !== null) return { needsScopes, publishedScopes: needs_scopes }
  const isRelaxed = needsScopes.every((scope) => needs_scopes.includes(scope))
  return { needsScopes: isRelaxed ? needs_scopes : needsScopes, publishedScopes }
}

/**
 * Whether every change of the field's values is additive in requests and responses, and can be hidden.
 * Nothing within a JSON value can: rows of newer versions show their new keys, and writes would lose them.
 */
const onlyAdded = (field: DraftField, { request, response }: ContractField): boolean => {
  const sent = request ? compareSchemas(request.schema, field.schema) : []
  const shown = response ? compareSchemas(response.schema, field.schema) : []
  if ([...sent, ...shown].some(({ listed }) => listed?.kind === 'key added')) return false
  return (
    sent.every((one) => one.request === 'additive') &&
    shown.every(
      (one) => one.response === 'additive' || (one.listed?.kind === 'value added' && response?.open === true),
    )
  )
}

const frozenMoves = (
  states: StatesField,
  frozen: { readonly [from: string]: readonly string[] },
): StatesField => {
  const moves = Object.entries(states.moves).map(([from, to]) => [
    from,
    (to ?? []).filter((one) => frozen[from]?.includes(one)),
  ])
  return { ...states, moves: Object.fromEntries(moves.filter(([, to]) => to && to.length > 0)) }
}

/** Relations, sub-collections and include paths that lead through something hidden are hidden too. */
const withoutLostTargets = (view: DraftView, kept: Draft, frozen: Contract): DraftView => {
  const relations = new Map(
    [...view.relations].filter(([, one]) => viewOfResource(kept, one.relation.target.name)),
  )
  const leads = (path: string): boolean => {
    let at: DraftView | undefined = { ...view, relations }
    for (const step of path.split('.')) {
      const relation = at?.relations.get(step)
      if (!relation) return false
      at = viewOfResource(kept, relation.relation.target.name)?.[1]
    }
    return true
  }
  return {
    ...view,
    relations,
    includePaths: new Set([...view.includePaths].filter(leads)),
    under: view.under.filter(({ owner, relation }) => {
      const over = viewOfResource(kept, owner)?.[1]
      return (
        over?.relations.has(relation) &&
        frozen.paths[`/${over.name}/{id}/${hyphenated(relation)}`] !== undefined
      )
    }),
  }
}
