import type { Draft, DraftField, DraftRelation, DraftView } from '../changes/view-draft.ts'
import type { Field, Resource } from '../model.ts'
import { hasTopLevel } from '../resources/owners.ts'
import { movesIn } from '../resources/states.ts'

/** Who may call how often, and how much an answer has. */
export type AccessOptions = Pick<DraftView, 'methods' | 'cacheControl' | 'scopes' | 'limits' | 'rate'>

/** What the head declares of a resource besides its stored fields. */
export type ViewOptions = AccessOptions &
  Pick<
    DraftView,
    | 'filters'
    | 'sorts'
    | 'searched'
    | 'counted'
    | 'bulk'
    | 'includePaths'
    | 'reads'
    | 'idempotency'
    | 'requireIfMatch'
  >

/** What a view has whose rows are only read, and have no relations. */
export const onlyRead = Object.freeze({
  events: false,
  audited: false,
  relations: new Map(),
  includePaths: new Set<string>(),
  sorts: new Set<string>(),
  searched: new Set<string>(),
  counted: false,
  bulk: false,
  under: [],
  idempotency: { mode: 'off', storesBody: false },
  requireIfMatch: false,
  publishedRules: new Map(),
  whenAbsent: new Map(),
  customs: [],
} satisfies Partial<DraftView>)

/** The head's view of every resource: the stored names and values as they are. */
export const headDraft = (
  resources: readonly Resource[],
  options: (resource: Resource) => ViewOptions,
): Draft =>
  new Map(resources.map((resource) => [resource.name, headView(resource, resources, options(resource))]))

const headView = (resource: Resource, resources: readonly Resource[], options: ViewOptions): DraftView => {
  const fields = resource.fields.filter((field) => !field.kept).map(headField)
  const relations = headRelations(resource, options.limits.includeRows)
  const isOffered = options.methods.size > 0
  return {
    name: resource.name,
    resource,
    serves: 'rows',
    totals: null,
    events: resource.events,
    audited: resource.audited,
    fields: new Map(fields.map((field) => [field.name, field])),
    relations: new Map(relations.map((relation) => [relation.name, relation])),
    topLevel: isOffered && hasTopLevel(resource),
    under: isOffered ? subCollections(resource, resources) : [],
    eitherOr: resource.answered === null,
    publishedRules: new Map(),
    whenAbsent: keptDefaults(resource),
    customs: [],
    description: resource.description,
    ...options,
  }
}

/** A field kept for an older version that always shows a value has one in every new row. */
const keptDefaults = ({ fields }: Resource): ReadonlyMap<string, unknown> =>
  new Map(fields.filter((one) => one.kept && one.default !== undefined).map((one) => [one.name, one.default]))

/** A field as it is stored. */
export const headField = (field: Field): DraftField => ({
  name: field.name,
  field,
  made: null,
  schema: field.schema,
  kind: field.kind,
  required: isRequired(field),
  nullable: field.nullable,
  default: field.default,
  readOnly: field.readOnly,
  writeOnly: field.writeOnly,
  immutable: field.immutable,
  open: field.open,
  needsScopes: field.needsScopes,
  publishedScopes: null,
  values: null,
  codec: null,
  states: field.states && { ...field.states, moves: movesIn(field.states) },
  description: field.description,
})

/** Whether a create must send the field because nothing else gives it a value. */
const isRequired = (field: Field): boolean =>
  !field.optional &&
  field.default === undefined &&
  !field.readOnly &&
  field.states === null &&
  field.sum === null

const headRelations = (resource: Resource, includeRows: number): readonly DraftRelation[] =>
  [...resource.belongsTo, ...resource.hasMany].map((relation) => ({
    name: relation.name,
    relation,
    cap: relation.kind === 'belongs-to' ? 1 : (relation.cap ?? includeRows),
    description: relation.description,
  }))

/** One sub-collection for each has-many, of any resource, that leads to this one. */
const subCollections = (resource: Resource, resources: readonly Resource[]): DraftView['under'] =>
  resources.flatMap((source) =>
    source.hasMany
      .filter((relation) => relation.target === resource)
      .map((relation) => ({ owner: source.name, relation: relation.name })),
  )
