import type { Change, ChangeOfKind } from '../../declare/change.ts'
import { addRequiredField } from './add-required-field.ts'
import { changeDefault } from './change-default.ts'
import { changeFieldScope } from './change-field-scope.ts'
import type { ChangeKind, StoreEffect } from './change-kind.ts'
import { changeLimit } from './change-limit.ts'
import { changeRule } from './change-rule.ts'
import { changeType } from './change-type.ts'
import { custom } from './custom.ts'
import { makeRequired } from './make-required.ts'
import { mapValues } from './map-values.ts'
import { removeBulk } from './remove-bulk.ts'
import { removeCount } from './remove-count.ts'
import { removeField } from './remove-field.ts'
import { removeFilter, removeSort } from './remove-filter-or-sort.ts'
import { removeInclude } from './remove-include.ts'
import { removeMethod } from './remove-method.ts'
import { removeSearch } from './remove-search.ts'
import { renameField } from './rename-field.ts'
import { renameRelation } from './rename-relation.ts'
import { renameResource } from './rename-resource.ts'
import { requireIdempotencyKey } from './require-idempotency-key.ts'
import { requireScope } from './require-scope.ts'

/** Every kind of change. The compiler asks for a line here when `Change` gets another one. */
export const changeKinds: { readonly [K in Change['kind']]: ChangeKind<ChangeOfKind<K>> } = {
  'rename-resource': renameResource,
  'rename-field': renameField,
  'rename-relation': renameRelation,
  'map-values': mapValues,
  'change-type': changeType,
  'remove-field': removeField,
  'add-required-field': addRequiredField,
  'make-required': makeRequired,
  'remove-include': removeInclude,
  'remove-filter': removeFilter,
  'remove-sort': removeSort,
  'remove-search': removeSearch,
  'remove-count': removeCount,
  'remove-bulk': removeBulk,
  'change-limit': changeLimit,
  'require-idempotency-key': requireIdempotencyKey,
  'require-scope': requireScope,
  'remove-method': removeMethod,
  'change-default': changeDefault,
  'change-rule': changeRule,
  'change-field-scope': changeFieldScope,
  custom,
}

export const kindOf = (change: Change): ChangeKind<Change> => changeKinds[change.kind] as ChangeKind<Change>

/** The resource that a change is about, by its newer name. */
export const changedResource = (change: Change): string =>
  change.kind === 'rename-resource' ? change.to : change.resource

type EffectOf<K extends StoreEffect['kind']> = Extract<StoreEffect, { readonly kind: K }>

/** What changes mean for stored rows, of one kind of effect. */
export const storeEffects = <K extends StoreEffect['kind']>(
  changes: readonly Change[],
  kind: K,
): readonly EffectOf<K>[] =>
  changes
    .map((change) => kindOf(change).stored(change))
    .filter((effect): effect is EffectOf<K> => effect?.kind === kind)
