import { valueWhenAbsent } from '../../compile/changes/required-since.ts'
import type { BelongsToModel, Field, Model, Resource } from '../../compile/model.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { SearchNames } from '../../plan/dialect.ts'
import { objectName } from '../../plan/object-name.ts'
import { searchIndexes } from '../../plan/search-index.ts'
import { engineTables, hiddenParts, noHiddenParts } from './engine-tables.ts'
import { formerTypes } from './lineage.ts'
import type { Check, Column, ForeignKey, FormerType, Index, Table } from './table.ts'

const known = new WeakMap<Model, readonly Table[]>()

/** The tables that the model needs, the engine's own first. They are computed once, because every check of a store asks for them. */
export function wantedTables(model: Model): readonly Table[] {
  const tables = known.get(model) ?? [...engineTables, ...resourceTables(model)]
  known.set(model, tables)
  return tables
}

function resourceTables(model: Model): readonly Table[] {
  return [...model.stored.values()].map((resource) =>
    resourceTable(resource, model, formerTypes(model, resource)),
  )
}

function resourceTable(resource: Resource, model: Model, types: ReadonlyMap<string, FormerType>): Table {
  const primaryKey = withAccount(resource, ['id'])
  const searches = searchIndexes(resource)
  const hidden = resource.engineMade ? hiddenParts(resource.table) : noHiddenParts
  return {
    name: resource.table,
    columns: [...columns(resource, model, types), ...hidden.columns, ...searches.flatMap(searchColumns)],
    primaryKey,
    indexes: [
      ...indexes(resource),
      ...hidden.indexes,
      ...searches.flatMap((search) => searchIndexParts(search, primaryKey)),
    ],
    ...(searches.length > 0 && { searches }),
    foreignKeys: resource.references.map((relation) => foreignKey(resource, relation)),
    checks: resource.fields.flatMap((field) => check(resource, field)),
    spread: resource.shared ? 'everywhere' : 'account_id',
    ...agesOf(model),
  }
}

const searchColumns = ({ words, version }: SearchNames): Column[] => [
  { name: words, kind: 'string', nullable: true, default: undefined },
  { name: version, kind: 'integer', nullable: true, default: undefined },
]

const searchIndexParts = (
  { words, version, index, waiting }: SearchNames,
  primaryKey: readonly string[],
): Index[] => [
  { name: index, unique: false, columns: [{ name: words, nullable: true }], ofWords: true },
  { name: waiting, unique: false, columns: [{ name: version, nullable: true }], ofWaiting: primaryKey },
]

/** What the record of names says of the age of a declaration. */
function agesOf({ names, head }: Model): Pick<Table, 'relaxes' | 'isOlder'> {
  const served = Object.keys(names.versions).map((name) => Number(name.slice(1)))
  if (served.length === 0) return {}
  return { relaxes: true, isOlder: Math.max(...served) > Number(head.name.slice(1)) }
}

const withAccount = (resource: Resource, names: readonly string[]): string[] =>
  resource.shared ? [...names] : ['account_id', ...names]

function columns(resource: Resource, model: Model, types: ReadonlyMap<string, FormerType>): Column[] {
  const account: Column = { name: 'account_id', kind: 'id', nullable: false, default: undefined }
  const version: Column = { name: 'version', kind: 'integer', nullable: false, default: 1 }
  const own = resource.fields.map((field): Column => {
    const was = types.get(field.column)
    return {
      name: field.column,
      kind: field.kind,
      nullable: field.nullable || field.mayLack,
      ...(field.nullable && isRequiredSince(model, resource, field) && { requiredByNewer: true }),
      ...(was && { was }),
      default: columnDefault(resource, field, model),
    }
  })
  return [...(resource.shared ? [] : [account]), ...own, version]
}

/** A newer declaration requires the field, and its processes count on that. */
function isRequiredSince({ names }: Model, { table }: Resource, { column }: Field): boolean {
  const known = names.absent[`${table}.${column}`]
  return known !== undefined && known.state !== 'open'
}

/** The value of rows that were written before the field was declared, or are written by an older release. */
function columnDefault(resource: Resource, field: Field, model: Model): unknown {
  const value = valueWhenAbsent(resource, field, model.versions)
  return value === undefined ? undefined : (field.stored?.up.get(String(value)) ?? value)
}

function indexes(resource: Resource): Index[] {
  const column = (name: string) => resource.field.get(name)?.column ?? name
  const nullable = (name: string) =>
    resource.fields.some((field) => field.column === name && (field.nullable || field.mayLack))
  const index = (names: readonly string[], kind: 'idx' | 'key'): Index => ({
    name: objectName(resource.table, names, kind),
    unique: kind === 'key',
    columns: names.map((name) => ({ name, nullable: nullable(name) })),
  })
  const uniques = resource.uniques.map((set) => index(withAccount(resource, set.map(column)), 'key'))
  const declared = resource.indexes
    .map((set) => withAccount(resource, set.map(column)))
    .filter((names) => !uniques.some((unique) => servesAlone(unique, names)))
    .map((names) => index(names.includes('id') ? names : [...names, 'id'], 'idx'))
  const made = [...uniques, ...declared]
  for (const relation of resource.belongsTo) {
    const names = referringColumns(resource, relation)
    const covered = made.some((one) => names.every((name, at) => one.columns[at]?.name === name))
    if (!covered) made.push(index(relation.target.shared ? names : [...names, 'id'], 'idx'))
  }
  return distinct(made)
}

/** A unique index over columns without NULLs already orders the rows completely. */
const servesAlone = (unique: Index, names: readonly string[]): boolean =>
  unique.columns.length === names.length &&
  unique.columns.every((column, at) => column.name === names[at] && !column.nullable)

const distinct = (all: readonly Index[]): Index[] => [...new Map(all.map((one) => [one.name, one])).values()]

/** A foreign key to a shared table has no account: a delete there searches the rows of all accounts. */
const referringColumns = (resource: Resource, relation: BelongsToModel): string[] => {
  const column = resource.field.get(relation.field)?.column ?? relation.field
  return relation.target.shared ? [column] : ['account_id', column]
}

function foreignKey(resource: Resource, relation: BelongsToModel): ForeignKey {
  const names = referringColumns(resource, relation)
  return {
    name: objectName(resource.table, names, 'fkey'),
    columns: names,
    table: relation.target.table,
    references: relation.target.shared ? ['id'] : ['account_id', 'id'],
    onDelete: resource.restricting.has(relation.field) ? 'refuse' : relation.onTargetDelete,
  }
}

function check(resource: Resource, field: Field): Check[] {
  const values = checkedValues(field).map((value) => field.stored?.up.get(value) ?? value)
  if (values.length === 0) return []
  return [{ name: objectName(resource.table, [field.column], 'check'), column: field.column, values }]
}

function checkedValues(field: Field): readonly string[] {
  if (field.states) {
    const { initial, moves } = field.states
    return [...new Set([initial, ...Object.keys(moves), ...Object.values(moves).flatMap((to) => to ?? [])])]
  }
  if (!kinds[field.kind].listsValues) return []
  return (field.schema.enum ?? []).filter((value): value is string => typeof value === 'string')
}
