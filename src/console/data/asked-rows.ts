import { html, type Markup } from '../../pages/markup.ts'
import type { EngineAnswer } from '../ask-engine.ts'
import { ConsoleRefusal } from '../console-refusal.ts'
import type { ConsoleRow } from './shown-value.ts'

/** What a problem of the engine says. */
export interface ReceivedProblem {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly FaultOfField[]
}

export interface FaultOfField {
  /** The name of a field; null for what is not about one. */
  readonly field: string | null
  readonly parameter: string | null
  readonly detail: string
}

interface ProblemJson {
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly {
    readonly pointer?: string
    readonly parameter?: string
    readonly detail?: string
  }[]
}

/** The problem of an answer; null of one that is none. */
export const problemOf = ({ status, json }: EngineAnswer): ReceivedProblem | null => {
  if (status < 400) return null
  const { title = 'Refused', detail = '', errors = [] } = (json ?? {}) as ProblemJson
  return {
    status,
    title,
    detail,
    errors: errors.map(({ pointer, parameter = null, detail: what = '' }) => ({
      field: pointer === undefined ? null : fieldAt(pointer),
      parameter,
      detail: what,
    })),
  }
}

/** What is wrong with which field. */
export const fieldFaults = ({ errors }: ReceivedProblem): ReadonlyMap<string, string> =>
  new Map(errors.flatMap(({ field, detail }) => (field === null ? [] : [[field, detail]])))

/** `#/address/street` is about the field `address`. */
const fieldAt = (pointer: string): string => {
  const first = decodeURIComponent(pointer.replace(/^#?\//, '')).split('/', 1)[0] ?? ''
  return first.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The row of an answer. What the engine refuses is shown in its words. */
export const rowOf = (answer: EngineAnswer): ConsoleRow => {
  const refused = problemOf(answer)
  if (refused) throw new ConsoleRefusal(refused.status, refused.title, refused.detail)
  return (answer.json as { readonly data: ConsoleRow }).data
}

export interface RowsPage {
  readonly rows: readonly ConsoleRow[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
  readonly total: number | null
  readonly isExact: boolean
}

interface ListJson {
  readonly data: readonly ConsoleRow[]
  readonly page: {
    readonly has_more?: boolean
    readonly next_cursor?: string | null
    readonly total?: number
    readonly total_is_exact?: boolean
  }
}

export const listedRows = (answer: EngineAnswer): RowsPage => {
  const { data, page } = answer.json as ListJson
  return {
    rows: data,
    hasMore: page.has_more ?? false,
    nextCursor: page.next_cursor ?? null,
    total: page.total ?? null,
    isExact: page.total_is_exact ?? true,
  }
}

/**
 * A refusal in the words of the engine, with what it says of each field or parameter that has no place of its own. Where the sentence says all of
 * that already, it is not said again.
 */
export const problemNotice = (
  { title, detail, errors }: ReceivedProblem,
  isElsewhere: (fault: FaultOfField) => boolean,
): Markup => {
  const apart = errors.filter((fault) => !isElsewhere(fault))
  const here = apart.every((fault) => detail.includes(fault.detail)) ? [] : apart
  return html`<div class="notice" role="alert"><b>${title}.</b> ${detail}${
    here.length > 0 &&
    html`<ul class="tight">${here.map(({ field, parameter, detail: what }) => html`<li><code>${field ?? parameter ?? ''}</code> ${what}</li>`)}</ul>`
  }</div>`
}
