import type { z } from 'zod'
import type { Change } from '../../src/declare/change.ts'
import { type FieldDeclaration, immutable, readOnly, writeOnly } from '../../src/declare/field.ts'
import type { At } from './random-words.ts'

export type Mark = 'plain' | 'immutable' | 'readOnly' | 'writeOnly' | 'state'

/** A field in three versions: how it is declared, and a naive model of what each version shows and takes. */
export interface RandomField {
  readonly mark: Mark
  /** The schema when the older versions were frozen, and now. */
  readonly declared: { readonly frozen: FieldDeclaration; readonly now: FieldDeclaration }
  /** Its changes in the lists of v1 and v2. */
  changes(at: 0 | 1, name: string): readonly Change[]
  /** What a row of the head may have; of states the first is the initial one. */
  readonly stored: readonly unknown[]
  shown(at: At, stored: unknown): unknown
  /** The stored value for one of the version's own values; undefined where the version has no such value. */
  read(at: At, sent: unknown): unknown
  /** Values worth sending besides those that some version shows. */
  readonly sent: readonly unknown[]
  /** Only for states: whether one version can move from one value to another. */
  readonly moves?: (at: At, from: string, to: string) => boolean
  /**
   * Which stored values a filter by this text finds; undefined where the text is none of the version's values. A field
   * without it cannot be filtered by.
   */
  readonly finds?: (at: At, text: string) => ((stored: unknown) => boolean) | undefined
}

export const why = 'generated'

export const marked = (mark: Mark, schema: z.ZodType): z.ZodType => {
  if (mark === 'immutable') return immutable(schema)
  if (mark === 'readOnly') return readOnly(schema)
  return mark === 'writeOnly' ? writeOnly(schema) : schema
}
