import type { Model } from './model.ts'
import { unindexedRules } from './rules/rule-indexes.ts'
import { stateWarnings } from './states.ts'
import { tokenWarnings } from './tokens.ts'

/** What is allowed in a declaration, and is probably not meant, a sentence or more each. */
export const warningsOf = (model: Model): readonly string[] => [
  ...unindexedRules(model),
  ...tokenWarnings(model),
  ...stateWarnings(model),
]
