import type {
  Contract,
  ContractField,
  ContractRelation,
  ContractResource,
  ContractService,
} from '../compile/contract-format.ts'
import type { Model, RateModel, Version, View, ViewField, ViewRelation } from '../compile/model.ts'
import { movesIn } from '../compile/resources/states.ts'
import { publishedRule } from '../compile/rules/words.ts'
import { bodyMediaTypes } from '../compile/service/media-types.ts'
import { eventTypes, showsEvents } from '../compile/versions/events-view.ts'
import { type RuleKind, ruleKinds } from '../declare/rule.ts'
import { kinds } from '../kinds/kinds.ts'
import { operatorsFor } from '../kinds/operators.ts'
import { byStatus, engineProblems, pathsOf, problemsEverywhere } from './operations.ts'
import { promisedLimits } from './promised-limits.ts'
import { stateRulesOf } from './state-rules.ts'
import { tokenFormsOf } from './token-forms.ts'
import { isUnchecked } from './unchecked.ts'

/**
 * All that a consumer of one version can see, as data. Everything shown in an order (resources, fields, values, filters)
 * has that order here, so that the version keeps it when the declaration is reordered.
 */
export const contractOf = (model: Model, version: Version): Contract => {
  const seen = [...version.views.values()].filter((view) => view.topLevel || view.under.length > 0)
  const contract: Contract = {
    format: 2,
    api: model.name,
    version: version.name,
    title: version.title,
    ...described(version.description),
    lifecycle: {
      published: version.published?.date ?? null,
      deprecated: version.deprecated?.date ?? null,
      sunset: version.sunset?.date ?? null,
      unversioned: model.unversioned === version,
    },
    service: serviceOf(model),
    resources: Object.fromEntries(seen.map((view) => [view.name, resourceOf(view)])),
    ...(model.events && showsEvents(version)
      ? { events: { types: eventTypes(version), keep_days: model.events.keepDays } }
      : {}),
    paths: pathsOf(version),
  }
  // A contract file has no undefined members, so neither has this object.
  return JSON.parse(JSON.stringify(contract)) as Contract
}

const serviceOf = ({ declaration, limits, rate, scopes }: Model): ContractService => ({
  authentication: declaration.tokens ? ['bearer key', 'bearer token'] : ['bearer key'],
  ...(declaration.tokens ? { tokens: tokenFormsOf(declaration) } : {}),
  ...(scopes.size > 0 ? { scopes: Object.fromEntries([...scopes].toSorted()) } : {}),
  request_media_types: bodyMediaTypes,
  response_media_types: ['application/json', 'application/problem+json'],
  envelopes: {
    one: ['data'],
    list: ['data', 'page'],
    page: ['has_more', 'limit', 'next_cursor'],
    included_page: ['has_more', 'limit', 'next', 'next_cursor'],
    problem: ['detail', 'instance', 'status', 'title', 'type'],
  },
  idempotency: { retention_hours: limits.idempotencyHours, key_characters: 255 },
  limits: {
    header_bytes: limits.headerBytes,
    json_depth: limits.jsonDepth,
    rows_per_request: limits.rowsPerRequest,
  },
  rate: rateOf(rate),
  headers: ['RateLimit', 'RateLimit-Policy', 'X-Request-Id'],
  problems: byStatus(engineProblems(problemsEverywhere)),
})

const rateOf = (rate: RateModel) => ({ per_second: rate.perSecond, burst: rate.burst })

const resourceOf = (view: View): ContractResource => {
  const filtered = [...view.filterOf.values()].map(({ field }) => field)
  return {
    ...described(view.description),
    fields: Object.fromEntries(view.fields.map((field) => [field.name, fieldOf(view, field)])),
    relations: Object.fromEntries(
      [...view.relations.values()].map((one) => [one.name, relationOf(view, one)]),
    ),
    include: view.includePaths,
    filters: Object.fromEntries(
      filtered.map(({ name, kind }) => [name, operatorsFor(kinds[kind]).toSorted()]),
    ),
    sorts: [...view.sorts],
    ...totalsOf(view),
    ...(view.searched.size > 0 ? { search: [...view.searched] } : {}),
    ...(view.bulk ? { bulk: true as const } : {}),
    default_sort: view.totals ? [] : [view.resource.newestFirst ? '-id' : 'id'],
    limits: { ...promisedLimits(view) },
    idempotency: { mode: view.idempotency.mode, replay: view.idempotency.storesBody ? 'stored' : 'reread' },
    if_match: view.requireIfMatch ? 'required' : 'optional',
    unique: uniquesOf(view),
    rules: stateRulesOf(view),
    shared: view.resource.shared,
    ...rowRulesOf(view),
    cache_control: view.cacheControl,
    ...(view.rate ? { rate: rateOf(view.rate) } : {}),
  }
}

const totalsOf = ({ totals }: View): Pick<ContractResource, 'totals'> =>
  totals ? { totals: { of: totals.of().name, by: [...totals.by.keys()], sums: [...totals.sums.keys()] } } : {}

/** The rules as they were published, and those that were not changed since. The engine's own rule is the same in every API. */
const rowRulesOf = (view: View): Pick<ContractResource, 'row_rules'> => {
  // Totals have no rules: the rules of the counted rows decide.
  if (view.resource.engineMade || view.totals) return {}
  const rules = ruleKinds.map((kind): [RuleKind, string | null] => [kind, publishedRule(view, kind)])
  const declared = rules.filter(([, words]) => words !== null)
  return declared.length > 0 ? { row_rules: Object.fromEntries(declared) } : {}
}

const described = (description: string) => (description === '' ? {} : { description })

const fieldOf = (view: View, field: ViewField): ContractField => {
  const { schema, required, nullable, immutable, states } = field
  const fallback = field.default === undefined || states ? {} : { default: field.default }
  return {
    ...described(field.description),
    ...(field.readOnly ? {} : { request: { schema, required, nullable, immutable, ...fallback } }),
    ...(field.writeOnly ? {} : { response: { schema, nullable, ...(field.open ? { open: true } : {}) } }),
    ...scopesOf(field),
    ...(states ? { states: { initial: states.initial, moves: movesIn(states) } } : {}),
    ...(field.target ? { reference: field.target().name } : {}),
    ...sumOf(view, field),
  }
}

const scopesOf = ({ needsScopes, publishedScopes }: ViewField): Pick<ContractField, 'needs_scopes'> => {
  const scopes = publishedScopes ?? needsScopes
  return scopes.length > 0 ? { needs_scopes: scopes.toSorted() } : {}
}

const sumOf = (view: View, { field }: ViewField): Pick<ContractField, 'sum'> => {
  const relation = view.relations.values().find((one) => one.relation === field?.sum?.relation)
  const rows = relation?.target()
  const factors = field?.sum?.of.map((of) => rows?.fields.find((one) => one.field?.name === of)?.name)
  if (!relation || !factors || factors.includes(undefined)) return {}
  return { sum: factors.map((factor) => `${relation.name}.${factor}`).join(' * ') }
}

const relationOf = (
  view: View,
  { relation, target, join, cap, description }: ViewRelation,
): ContractRelation => {
  const { name, fields } = target()
  const words = described(description)
  if (relation.kind === 'belongs-to') {
    const unchecked = isUnchecked(view, relation) ? { unchecked: true as const } : {}
    return { kind: 'to-one', resource: name, ...unchecked, ...words }
  }
  if (join) return { kind: 'to-many', resource: name, through: join().name, rows: cap, ...words }
  const by = fields.find(({ field }) => field?.relation === relation.by)?.name
  return { kind: 'to-many', resource: name, ...(by === undefined ? {} : { by }), rows: cap, ...words }
}

/** A unique set is part of the contract only where the version shows all its fields. */
export const uniquesOf = (view: View): readonly (readonly string[])[] => {
  const shown = new Map(view.fields.map((field) => [field.field?.name, field.name]))
  const sets = view.resource.uniques.map((set) => set.map((name) => shown.get(name) ?? null))
  const seen = sets.filter((set): set is string[] => set.every((name) => name !== null))
  return seen.map((set) => set.toSorted()).sort((a, b) => (a.join() < b.join() ? -1 : 1))
}
