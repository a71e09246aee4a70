import type {
  AddRequiredField,
  ChangeDefault,
  ChangeFieldScope,
  ChangeLimit,
  ChangeOptions,
  ChangeRule,
  ChangeType,
  Custom,
  MakeRequired,
  MapValues,
  Naming,
  RemoveBulk,
  RemoveCount,
  RemoveField,
  RemoveFilter,
  RemoveInclude,
  RemoveMethod,
  RemoveSearch,
  RemoveSort,
  RenameField,
  RenameRelation,
  RenameResource,
  RequireIdempotencyKey,
  RequireScope,
} from './change-data.ts'
import type { Method, ResourceLimits, ScopeRule } from './resource.ts'
import type { RuleKind } from './rule.ts'

export type * from './change-data.ts'

export const renameResource = <const To extends string>(
  from: string,
  to: To,
  options: ChangeOptions = {},
): RenameResource & Naming<To> => Object.freeze({ kind: 'rename-resource', from, to, ...options })
export const renameField = <const R extends string, const To extends string>(
  resource: R,
  from: string,
  to: To,
  options: ChangeOptions = {},
): RenameField & Naming<R, To> => Object.freeze({ kind: 'rename-field', resource, from, to, ...options })
export const renameRelation = <const R extends string, const To extends string>(
  resource: R,
  from: string,
  to: To,
  options: ChangeOptions = {},
): RenameRelation & Naming<R, never, To> =>
  Object.freeze({ kind: 'rename-relation', resource, from, to, ...options })
export const mapValues = <
  const R extends string,
  const F extends string,
  // Without a value to infer it from, as in \`{}\`, nothing is named.
  const To extends string = never,
  const Newer extends string = never,
>(
  resource: R,
  field: F,
  values: { readonly [old: string]: To },
  options: ChangeOptions & { readonly onlyInNewer?: { readonly [newer in Newer]: string } } = {},
): MapValues & Naming<R, F, never, To | Newer> =>
  Object.freeze({
    kind: 'map-values',
    resource,
    field,
    values,
    ...options,
    onlyInNewer: options?.onlyInNewer ?? {},
  })
export const changeType = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions & Pick<ChangeType, 'was' | 'codec'>,
): ChangeType & Naming<R, F> => Object.freeze({ kind: 'change-type', resource, field, ...options })
export const removeField = <const R extends string>(
  resource: R,
  field: string,
  options: ChangeOptions & Pick<RemoveField, 'was' | 'whenAbsent'>,
): RemoveField & Naming<R> => Object.freeze({ kind: 'remove-field', resource, field, ...options })
export const addRequiredField = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions & Pick<AddRequiredField, 'whenAbsent'>,
): AddRequiredField & Naming<R, F> =>
  Object.freeze({ kind: 'add-required-field', resource, field, ...options })
export const makeRequired = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions & Pick<MakeRequired, 'whenAbsent'>,
): MakeRequired & Naming<R, F> => Object.freeze({ kind: 'make-required', resource, field, ...options })
export const removeInclude = <const R extends string>(
  resource: R,
  path: string,
  options: ChangeOptions = {},
): RemoveInclude & Naming<R> => Object.freeze({ kind: 'remove-include', resource, path, ...options })
export const removeFilter = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions = {},
): RemoveFilter & Naming<R, F extends `${string}.${string}` ? never : F> =>
  Object.freeze({ kind: 'remove-filter', resource, field, ...options })
export const removeSort = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions = {},
): RemoveSort & Naming<R, F> => Object.freeze({ kind: 'remove-sort', resource, field, ...options })
export const removeSearch = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions = {},
): RemoveSearch & Naming<R, F> => Object.freeze({ kind: 'remove-search', resource, field, ...options })
export const removeCount = <const R extends string>(
  resource: R,
  options: ChangeOptions = {},
): RemoveCount & Naming<R> => Object.freeze({ kind: 'remove-count', resource, ...options })
export const removeBulk = <const R extends string>(
  resource: R,
  options: ChangeOptions = {},
): RemoveBulk & Naming<R> => Object.freeze({ kind: 'remove-bulk', resource, ...options })
export const changeLimit = <const R extends string>(
  resource: R,
  limit: keyof ResourceLimits,
  options: ChangeOptions & { readonly was: number },
): ChangeLimit & Naming<R> => Object.freeze({ kind: 'change-limit', resource, limit, ...options })
export const requireIdempotencyKey = <const R extends string>(
  resource: R,
  options: ChangeOptions = {},
): RequireIdempotencyKey & Naming<R> =>
  Object.freeze({ kind: 'require-idempotency-key', resource, ...options })
export const requireScope = <const R extends string>(
  resource: R,
  method: Method,
  options: ChangeOptions & { readonly was: ScopeRule },
): RequireScope & Naming<R> => Object.freeze({ kind: 'require-scope', resource, method, ...options })
export const removeMethod = <const R extends string>(
  resource: R,
  method: Method,
  options: ChangeOptions = {},
): RemoveMethod & Naming<R> => Object.freeze({ kind: 'remove-method', resource, method, ...options })
export const changeDefault = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: ChangeOptions & Pick<ChangeDefault, 'was'>,
): ChangeDefault & Naming<R, F> => Object.freeze({ kind: 'change-default', resource, field, ...options })
export const changeRule = <const R extends string>(
  resource: R,
  rule: RuleKind,
  options: Required<ChangeOptions>,
): ChangeRule & Naming<R> => Object.freeze({ kind: 'change-rule', resource, rule, ...options })
export const changeFieldScope = <const R extends string, const F extends string>(
  resource: R,
  field: F,
  options: Required<ChangeOptions>,
): ChangeFieldScope & Naming<R, F> =>
  Object.freeze({ kind: 'change-field-scope', resource, field, ...options })
export const custom = <const R extends string, const F extends string = never>(
  resource: R,
  options: Omit<Custom, 'kind' | 'resource' | 'replaces'> & { readonly replaces: readonly F[] },
): Custom & Naming<R, F> => Object.freeze({ kind: 'custom', resource, ...options })
