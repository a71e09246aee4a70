import type { ResourceDeclaration } from '../../declare/resource.ts'
import type { BelongsToModel, Field, HasManyModel, Resource } from '../model.ts'
import { underscored } from '../names/name-rules.ts'
import { noRules } from '../rules/checked-rule.ts'

/** Models refer to each other in cycles, so they are made mutable, linked, and then handed out read-only. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A resource on its way from declaration to model. */
export interface ResourceDraft {
  readonly declaration: ResourceDeclaration
  readonly model: Mutable<Resource>
  /** The head's own; those kept for old versions only are in the model. */
  readonly fields: Map<string, Mutable<Field>>
  readonly belongsTo: Map<string, BelongsToModel>
  readonly hasMany: Map<string, HasManyModel>
  /** Declared fields with a mistake: a reference to one is not reported as a second mistake. */
  readonly broken: Set<string>
}

export type Drafts = ReadonlyMap<string, ResourceDraft>

/** A resource with only a name. */
export const plainResource = (name: string): Mutable<Resource> => ({
  name,
  table: underscored(name),
  shared: false,
  events: false,
  audited: false,
  keptOnDeletion: false,
  answered: null,
  engineMade: false,
  newestFirst: false,
  idPrefix: '',
  description: '',
  fields: [],
  field: new Map(),
  belongsTo: [],
  references: [],
  restricting: new Set(),
  refusing: new Set(),
  hasMany: [],
  owner: null,
  uniques: [],
  indexes: [],
  searches: [],
  feeds: [],
  onlyWhile: [],
  deleteOnlyWhile: [],
  problems: new Map(),
  hooks: {},
  hasHooks: { create: false, update: false, delete: false },
  asks: [],
  rules: noRules,
  dependents: [],
})
