import type { Report } from './report.ts'
import type { Draft } from './view-draft.ts'

/** Takes one change back: the newer version's views in, the same as the older version had them out. */
export type Inverse<C> = (draft: Draft, change: C, report: Report) => Draft
