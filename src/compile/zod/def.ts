import type { z } from 'zod'

/** Zod's own description of a schema, read as data: the compiler asks only for the members it names. */
export interface ZodDef {
  readonly type: string
  readonly format?: string
  readonly coerce?: boolean
  readonly pattern?: RegExp
  readonly innerType?: z.ZodType
  readonly defaultValue?: unknown
  readonly checks?: readonly { readonly _zod: { readonly def: ZodCheckDef } }[]
  readonly entries?: { readonly [name: string]: string | number }
  readonly values?: readonly unknown[]
  readonly element?: z.ZodType
  readonly shape?: { readonly [name: string]: z.ZodType }
  readonly catchall?: z.ZodType
  readonly keyType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly items?: readonly z.ZodType[]
  readonly rest?: z.ZodType | null
  readonly options?: readonly z.ZodType[]
}

export interface ZodCheckDef {
  readonly check: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly value?: unknown
  readonly local?: boolean
  readonly precision?: number | null
  readonly hostname?: RegExp
  readonly protocol?: RegExp
  readonly normalize?: boolean
  readonly version?: string
  /** What a rewriting check does. */
  readonly tx?: (text: string) => unknown
}

export const defOf = (schema: z.ZodType): ZodDef => schema._zod.def as unknown as ZodDef

/** A check of its own (`.max(5)`), or the one that the schema itself is (`z.email()`, `z.int()`). */
export const checksOf = (schema: z.ZodType): readonly ZodCheckDef[] => {
  const def = defOf(schema)
  const own = 'check' in def ? [def as unknown as ZodCheckDef] : []
  return [...own, ...(def.checks ?? []).map((check) => check._zod.def)]
}
