import type { Kind, StringFormat } from './kind.ts'

/** What most kinds answer to questions that are about a few. A kind that differs answers for itself. */
export const usual = Object.freeze({
  formats: {},
  listsValues: false,
  canBeOpen: false,
  isFreeText: false,
  notQueryable: null,
  sum: null,
  toStored: (value: unknown): unknown => value,
  mostBytes: null,
  mergesPatches: false,
  atTime: null,
  finerThanStored: () => null,
} satisfies Partial<Kind>)

/** What formats answer that have no keywords of their own, and that documents can only name. */
export const usualFormat = Object.freeze({
  keywords: [],
  checks: () => ({}),
  compare: () => [],
} satisfies Partial<StringFormat>)
