import { listed } from './enum.ts'
import type { Kind } from './kind.ts'

/** `states(…)`: a text that changes by declared moves only. */
export const state: Kind = Object.freeze({
  ...listed,
  readsZod: null,
  canBeOpen: false,
  typeName: () => 'state',
} satisfies Kind)
