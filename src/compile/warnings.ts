import type { Model } from './model.ts'
import { stateWarnings } from './resources/states.ts'
import { unindexedRules } from './rules/rule-indexes.ts'
import { limitWarnings } from './service/limits.ts'
import { tokenWarnings } from './service/tokens.ts'

/** What is allowed in a declaration, and is probably not meant, a sentence or more each. */
export const warningsOf = (model: Model): readonly string[] => [
  ...unindexedRules(model),
  ...tokenWarnings(model),
  ...stateWarnings(model),
  ...limitWarnings(model),
]
