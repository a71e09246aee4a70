import type { ApiDeclaration } from '../declare/api.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'
import { type VersionDeclaration, version } from '../declare/version.ts'
import { bindNames } from './bind-names.ts'
import { inFrozenOrder } from './changes/frozen-order.ts'
import { linkVersion } from './changes/link-version.ts'
import type { DraftView } from './changes/view-draft.ts'
import type { Contract } from './contract-format.ts'
import { type MistakeList, Mistakes, mistakeList } from './mistakes.ts'
import type { Model, Version } from './model.ts'
import { didYouMean } from './names/nearest.ts'
import { checkAnsweredVersions } from './resources/answered-versions.ts'
import { auditOf } from './resources/audited-resources.ts'
import { takesLists } from './resources/bulk.ts'
import {
  checkTotalsNames,
  declaredTotals,
  type Totals,
  totalsDraft,
  withoutTotals,
} from './resources/declared-totals.ts'
import { checkEventNames, withWebhooks } from './resources/event-resources.ts'
import { checkedIncludes } from './resources/includes.ts'
import { filterNames, indexSets, sortNames } from './resources/lists.ts'
import {
  type Declared,
  readIdempotency,
  readMethods,
  readReads,
  readScopes,
} from './resources/methods-and-scopes.ts'
import type { Drafts, ResourceDraft } from './resources/resource-draft.ts'
import { draftResources } from './resources/resources.ts'
import { searchNames, searchSets } from './resources/searched.ts'
import { linkRules } from './rules/link-rules.ts'
import { ruleFields } from './rules/rule-indexes.ts'
import { checkAccounts, soleAccountOf } from './service/accounts.ts'
import { compileJobs } from './service/declared-jobs.ts'
import { allProblems } from './service/declared-problems.ts'
import { checkMethodScopes, declaredScopes, linkAskedScopes } from './service/declared-scopes.ts'
import { apiLimits, checkedRate, defaultRate, resourceLimits, resourceRate } from './service/limits.ts'
import { checkedDeclaration } from './shape/declaration-shape.ts'
import { type NamesRecord, noNames } from './stored-names.ts'
import { versionDates } from './versions/dates.ts'
import { keptFields, neededScopes, olderVersions, queriedFields } from './versions/versions.ts'
import { type AccessOptions, headDraft, type ViewOptions } from './versions/views.ts'

export interface CompileOptions {
  /** Frozen contracts by version name, as parsed JSON; additions that a contract does not have are hidden in its version. */
  readonly contracts?: ReadonlyMap<string, unknown>
  /** The declaration's file, for messages. */
  readonly file?: string
  /** What a store has recorded of its names: the model then has the tables, columns and values of that store. */
  readonly names?: NamesRecord
  /** What the paths of all URLs begin with, where the API is mounted in another server: `/api`. */
  readonly prefix?: string
}

/** Declaration → Model; throws `Mistakes` with everything that is wrong with it, at once. */
export const compileApi = (declaration: ApiDeclaration, options: CompileOptions = {}): Model => {
  const mistakes = mistakeList()
  const fail = (why?: ErrorOptions) => new Mistakes(mistakes.all, options.file ?? null, why)
  let model: Model | null
  try {
    model = modelOf(declaration, options, mistakes)
  } catch (error) {
    // After other mistakes an exception is most likely their consequence.
    if (mistakes.all.length === 0)
      mistakes.add(
        'api',
        `it cannot be compiled: ${error instanceof Error ? error.message : error}.`,
        'Look at what you wrote last. If that is right, please report this as a defect of Nounkit.',
      )
    throw fail({ cause: error })
  }
  if (model === null) throw fail()
  return model
}

/** The model as it is on a store with these names. */
export const boundTo = (model: Model, names: NamesRecord): Model => ({
  ...compileApi(model.declaration, { contracts: model.contracts, names, prefix: model.prefix }),
  declaration: model.declaration,
})

/** Null when there are mistakes. */
const modelOf = (written: ApiDeclaration, options: CompileOptions, mistakes: MistakeList): Model | null => {
  const shaped = checkedDeclaration(written, mistakes)
  if (shaped === null) return null
  const { changesWhole } = shaped
  const declaration = withWebhooks(shaped.declaration)
  const stored = withoutTotals(declaration)
  const limits = apiLimits(declaration.limits, mistakes)
  const rate = checkedRate(declaration.rate ?? defaultRate, 'rate', mistakes)
  const declared = declaration.versions ?? [version('v1')]
  checkVersions(declared, declaration.unversioned, mistakes)
  checkAccounts(declaration, mistakes)
  const drafts = draftResources(stored, keptFields(declaration), mistakes)
  const jobs = compileJobs(declaration.jobs ?? {}, mistakes)
  const scopes = declaredScopes(declaration, mistakes)
  checkMethodScopes(declaration, mistakes)
  linkRules(stored, drafts, mistakes)
  linkAskedScopes(declaration, drafts, mistakes)
  const totals = declaredTotals(declaration, drafts, mistakes)

  const about = { title: declaration.title ?? declaration.name, description: declaration.description ?? '' }
  // Changes name fields of the head: where some of those have mistakes, changes are not checked.
  const whole = changesWhole && [...drafts.values()].every((draft) => draft.broken.size === 0)
  const contracts = whole ? (options.contracts ?? new Map()) : new Map()
  const [newest = version('v1')] = declared
  const frozen = contracts.get(newest.name) as Contract | undefined
  const { prefix = '' } = options
  const head = headVersion(
    newest,
    { ...about, prefix },
    { drafts, totals },
    { limits, rate },
    frozen,
    mistakes,
  )
  const resources = new Map([...drafts].map(([name, draft]) => [name, draft.model]))
  const problems = allProblems(resources.values(), mistakes)
  const older = whole ? olderVersions(head, declaration, contracts, mistakes) : []
  const versions = [head, ...older]
  checkAnsweredVersions(versions, mistakes)
  checkEventNames(versions, declaration, mistakes)
  checkTotalsNames(versions, mistakes)
  if (mistakes.all.length > 0) return null
  for (const { model } of drafts.values()) {
    const ruled = model.rules.read ? ruleFields(model.rules.read.root) : []
    model.indexes = indexSets(model, [...queriedFields(model, versions), ...ruled], [])
    model.searches = searchSets(model, versions)
    model.asks = [...new Set([...model.asks, ...neededScopes(model, versions)])].sort()
  }
  for (const { resource, of } of totals) resource.asks = of.model.asks
  bindNames(
    [...drafts.values()].map(({ model }) => model),
    versions,
    options.names ?? noNames,
  )
  return Object.freeze({
    name: declaration.name,
    ...about,
    prefix,
    // As it was written: without the resources that the engine adds.
    declaration: shaped.declaration,
    soleAccount: soleAccountOf(declaration),
    resources,
    stored: new Map([...resources].filter(([, { answered }]) => !answered)),
    versions,
    head,
    unversioned: versions.find(({ name }) => name === declaration.unversioned) ?? null,
    limits,
    rate,
    scopes,
    events: declaration.events ?? null,
    audit: auditOf(declaration, resources.values()),
    jobs,
    problems,
    contracts,
    names: options.names ?? noNames,
  })
}

const checkVersions = (
  declared: readonly VersionDeclaration[],
  unversioned: string | undefined,
  mistakes: MistakeList,
): void => {
  const names = declared.map(({ name }) => name)
  if (names.length === 0)
    mistakes.add('versions', 'the list is empty.', "Leave it out, or write [version('v1')].")
  for (const name of names)
    if (!/^v[1-9][0-9]{0,3}$/.test(name))
      mistakes.add('versions', `"${name}" is not a version's name.`, 'Write "v1", "v2" and so on.')
  for (const [index, name] of names.entries()) {
    const next = names[index + 1]
    if (next !== undefined && Number(name.slice(1)) <= Number(next.slice(1)))
      mistakes.add('versions', `"${name}" comes before "${next}".`, 'List each once, the newest first.')
  }
  if ((declared[0]?.changes.length ?? 0) > 0)
    mistakes.add(
      `versions.${names[0]}`,
      'the newest version has changes, but there is nothing newer to change to.',
      'Move them to the version before it.',
    )
  if (unversioned !== undefined && !names.includes(unversioned))
    mistakes.add('unversioned', `there is no version "${unversioned}".`, didYouMean(unversioned, names))
}

/** The limits of the whole API, which also bound those of resources. */
type ApiBounds = Pick<Model, 'limits' | 'rate'>

/** The newest version. Once it is published, it has the order that it was published in. */
const headVersion = (
  declared: VersionDeclaration,
  texts: Pick<Version, 'title' | 'description' | 'prefix'>,
  { drafts, totals }: { readonly drafts: Drafts; readonly totals: readonly Totals[] },
  api: ApiBounds,
  frozen: Contract | undefined,
  mistakes: MistakeList,
): Version => {
  const about = {
    name: declared.name,
    head: true,
    ...versionDates(declared, mistakes),
    ...texts,
    successor: null,
    limits: resourceLimits(undefined, api.limits, 'limits', mistakes),
    changes: [],
  }
  const options = new Map(
    [...drafts].map(([name, draft]) => [name, viewOptions(draft, drafts, api, mistakes)]),
  )
  const models = [...drafts.values()].map((draft) => draft.model)
  const rows = headDraft(models, ({ name }) => options.get(name) as ViewOptions)
  const counted = totals.map((one): [string, DraftView] => [
    one.resource.name,
    totalsDraft(one, totalsAccess(one, api, mistakes)),
  ])
  const draft = new Map([...rows, ...counted])
  return linkVersion(about, frozen ? inFrozenOrder(draft, frozen) : draft)
}

const viewOptions = (
  draft: ResourceDraft,
  drafts: Drafts,
  api: ApiBounds,
  mistakes: MistakeList,
): ViewOptions => {
  const { declaration } = draft
  const access = accessOptions(draft, api, mistakes)
  const { limits, rate } = access
  return {
    ...access,
    filters: new Set(filterNames(draft, drafts, mistakes)),
    sorts: new Set(sortNames(draft, mistakes)),
    searched: new Set(searchNames(draft, mistakes)),
    counted: declaration.count === true,
    bulk: takesLists(draft, limits, rate ?? api.rate, mistakes),
    includePaths: new Set(
      checkedIncludes(draft, drafts, { ...limits, rowsPerRequest: api.limits.rowsPerRequest }, mistakes),
    ),
    reads: readReads(draft),
    idempotency: readIdempotency(draft, mistakes),
    requireIfMatch: declaration.requireIfMatch === true,
  }
}

/** Totals have no rows of their own, and filters and groups are those of the rows they count. */
const totalsAccess = (
  { declaration, resource: { shared } }: Totals,
  api: ApiBounds,
  mistakes: MistakeList,
): AccessOptions => {
  const methods = declaration.methods ?? ['GET']
  return accessOptions({ declaration: { ...declaration, shared, methods } }, api, mistakes)
}

const accessOptions = (declared: Declared, api: ApiBounds, mistakes: MistakeList): AccessOptions => {
  const { declaration } = declared
  return {
    methods: readMethods(declared, mistakes),
    cacheControl: cacheControl(declaration, mistakes),
    scopes: readScopes({ declaration }, mistakes),
    limits: resourceLimits(declaration.limits, api.limits, declaration.name, mistakes),
    rate:
      declaration.rate === undefined
        ? null
        : resourceRate(declaration.rate, api.rate, declaration.name, mistakes),
  }
}

const cacheControl = (
  { name, cacheControl = 'private, no-cache' }: ResourceDeclaration,
  mistakes: MistakeList,
): string => {
  if (!/^[a-z][a-z-]*(=[0-9]+)?(, ?[a-z][a-z-]*(=[0-9]+)?)*$/.test(cacheControl))
    mistakes.add(
      `${name}.cacheControl`,
      `"${cacheControl}" is not a Cache-Control header.`,
      'Write directives separated by commas, such as "private, max-age=60".',
    )
  return cacheControl
}
