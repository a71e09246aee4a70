import type { z } from 'zod'
import type { ApiDeclaration } from '../declare/api.ts'
import type { MistakeList } from './mistakes.ts'
import type { Resource, Version } from './model.ts'

export interface KeptField {
  readonly name: string
  readonly schema: z.ZodType
}

export const keptFields = (_declaration: ApiDeclaration): ReadonlyMap<string, readonly KeptField[]> =>
  new Map()

export const olderVersions = (
  _head: Version,
  _declaration: ApiDeclaration,
  _contracts: ReadonlyMap<string, unknown>,
  _resources: ReadonlyMap<string, Resource>,
  _mistakes: MistakeList,
): readonly Version[] => []
