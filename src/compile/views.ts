import type {
  Field,
  IncludeNode,
  Resource,
  SubCollection,
  Version,
  View,
  ViewField,
  ViewRelation,
} from './model.ts'
import { hyphenated } from './name-rules.ts'
import { hasTopLevel } from './owners.ts'
import type { Mutable } from './resource-draft.ts'
import { movesOf } from './states.ts'
import { shapeOf } from './view-shape.ts'

/** What the head declares of a resource besides its stored fields. */
export type ViewOptions = Pick<
  View,
  | 'filters'
  | 'sorts'
  | 'includePaths'
  | 'methods'
  | 'idempotency'
  | 'requireIfMatch'
  | 'cacheControl'
  | 'scopes'
  | 'limits'
  | 'rate'
>

/** The head's view of every resource: the stored names and values as they are. */
export const headViews = (
  version: Version,
  resources: readonly Resource[],
  options: (resource: Resource) => ViewOptions,
): ReadonlyMap<string, View> => {
  const views = new Map<string, Mutable<View>>()
  const viewOf = (resource: Resource): View => {
    const view = views.get(resource.name)
    if (view === undefined) throw new Error(`The head has no view of ${resource.name}.`)
    return view
  }
  for (const resource of resources)
    views.set(resource.name, headView(version, resource, options(resource), viewOf))
  for (const view of views.values()) {
    view.include = includeTree(view, view.includePaths)
    if (view.methods.size > 0) view.under = subCollections(view.resource, resources, viewOf)
  }
  return views
}

type ViewOf = (resource: Resource) => View

const headView = (
  version: Version,
  resource: Resource,
  options: ViewOptions,
  viewOf: ViewOf,
): Mutable<View> => {
  const fields = resource.fields.filter((field) => !field.kept).map((field) => headField(field, viewOf))
  return {
    version,
    name: resource.name,
    resource,
    serves: 'rows',
    events: resource.events,
    fields,
    field: new Map(fields.map((field) => [field.name, field])),
    shape: shapeOf(fields),
    relations: new Map(
      headRelations(resource, options.limits.includeRows, viewOf).map((relation) => [
        relation.name,
        relation,
      ]),
    ),
    include: new Map(),
    topLevel: options.methods.size > 0 && hasTopLevel(resource),
    under: [],
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

const headField = (field: Field, viewOf: ViewOf): ViewField => {
  const { relation } = field
  return Object.freeze({
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
    states: field.states && { ...field.states, moves: movesOf(field.states) },
    target: relation === null ? null : () => viewOf(relation.target),
    description: field.description,
  })
}

/** Whether a create must send the field because nothing else gives it a value. */
const isRequired = (field: Field): boolean =>
  !field.optional &&
  field.default === undefined &&
  !field.readOnly &&
  field.states === null &&
  field.sum === null

const headRelations = (resource: Resource, includeRows: number, viewOf: ViewOf): ViewRelation[] =>
  [...resource.belongsTo, ...resource.hasMany].map((relation) =>
    Object.freeze({
      name: relation.name,
      relation,
      target: () => viewOf(relation.target),
      cap: relation.kind === 'belongs-to' ? 1 : (relation.cap ?? includeRows),
      description: relation.description,
    }),
  )

/** Paths as a tree, in the names of the view; a path whose relation the view does not have is left out. */
export const includeTree = (view: View, paths: readonly string[]): ReadonlyMap<string, IncludeNode> => {
  const tree = new Map<string, IncludeNode>()
  for (const name of new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))) {
    const relation = view.relations.get(name)
    if (relation === undefined) continue
    const below = paths
      .filter((path) => path.startsWith(`${name}.`))
      .map((path) => path.slice(name.length + 1))
    tree.set(name, {
      relation,
      children: below.length === 0 ? new Map() : includeTree(relation.target(), below),
    })
  }
  return tree
}

/** One sub-collection for each has-many, of any resource, that leads to this one. */
const subCollections = (
  resource: Resource,
  resources: readonly Resource[],
  viewOf: ViewOf,
): SubCollection[] =>
  resources.flatMap((source) =>
    source.hasMany
      .filter((relation) => relation.target === resource)
      .flatMap((relation) => {
        const named = viewOf(source).relations.get(relation.name)
        return named === undefined
          ? []
          : [
              {
                segment: hyphenated(relation.name),
                owner: () => viewOf(source),
                relation: named,
                by: relation.by,
              },
            ]
      }),
  )
