export { type ApiDeclaration, type ApiOptions, api } from './declare/api.ts'
export {
  addRequiredField,
  changeDefault,
  changeFieldScope,
  changeLimit,
  changeRule,
  changeType,
  custom,
  makeRequired,
  mapValues,
  removeBulk,
  removeCount,
  removeField,
  removeFilter,
  removeInclude,
  removeMethod,
  removeSearch,
  removeSort,
  renameField,
  renameRelation,
  renameResource,
  requireIdempotencyKey,
  requireScope,
} from './declare/change.ts'
export { allOf, anyOf, type Condition, not } from './declare/condition.ts'
export {
  became,
  immutable,
  needsScope,
  open,
  readOnly,
  states,
  sum,
  was,
  writeOnly,
} from './declare/field.ts'
export type { HookContext, Hooks } from './declare/hooks.ts'
export { type EveryContext, every, type JobContext, job } from './declare/job.ts'
export { belongsTo, hasMany } from './declare/relation.ts'
export { type ResourceDeclaration, resource } from './declare/resource.ts'
export { now } from './declare/rule.ts'
export { version } from './declare/version.ts'
export { type DecimalOptions, decimal } from './kinds/decimal-field.ts'
