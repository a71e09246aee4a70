import type { z } from 'zod'
import type { Change, CodecName } from '../../declare/change.ts'
import type { Report } from '../changes/report.ts'
import type { Draft } from '../changes/view-draft.ts'
import type { Version } from '../model.ts'
import type { SchemaVerdict } from '../schemas/schema-verdict.ts'
import type { OptionTable } from '../shape/shapes.ts'
import type { GuideEntry } from './guide-entry.ts'
import type { VersionStep } from './step.ts'
import type { UsageTraces } from './usage-traces.ts'

/** Everything one kind of change means. Each kind has a file with one such object and a line in `change-kinds.ts`. */
export interface ChangeKind<C extends Change> {
  /** The parameters of the builder function that are passed one by one, in order. All others are in an options object. */
  readonly parameters: readonly (keyof C & string)[]
  /** The members that a declaration must and may have besides `why`, and an example call for messages. */
  readonly options: OptionTable

  /**
   * When the change is taken back. Names never depend on order (see Draft), but some changes need what others restore: a
   * filter on a removed field needs the field, a default or a scope is written in the older names, and a change that hides
   * a field comes last.
   */
  readonly phase: 0 | 1 | 2 | 3 | 4
  /** The views of the newer version in, the views that the older version had out; null, with a mistake, where it cannot be taken back. */
  takeBack(draft: Draft, change: C, report: Report): Draft | null
  /** Whether the older version would be the same without the change, where `takeBack` does not check that itself. */
  changesNothing(change: C, draft: Draft): boolean

  /** Whether the contracts of the two versions always differ by the change, so that the gate can compare both verdicts. */
  readonly shownInContract: boolean
  /** The verdict of the catalogue in docs/reference/changes.md. It must not look at contracts: their diff is the second opinion. */
  verdict(change: C, newer: Version): SchemaVerdict
  loss(change: C): DataLoss

  /** The change in one line, for `nounkit diff`. */
  line(change: C, step: VersionStep): ChangeLine
  guideEntry(change: C, step: VersionStep): GuideEntry
  /** Fields of the newer version that the change introduces or alters: a guide does not list them again as additions. */
  newerFields(change: C): readonly string[]
  /** Fields of the older version whose description comes from a schema in the change. */
  describedFields(change: C, step: VersionStep): readonly string[]

  /** How the table of the older version differs from that of the newer one; null where both are the same. */
  stored(change: C): StoreEffect | null
  /** Which calls show that a consumer still depends on the older version. */
  usage(change: C, step: VersionStep): UsageTraces
}

/** What most kinds answer. A kind that differs answers for itself. */
export const usualChange: Omit<
  ChangeKind<Change>,
  'parameters' | 'options' | 'phase' | 'takeBack' | 'line' | 'guideEntry' | 'usage'
> = {
  changesNothing: () => false,
  shownInContract: true,
  verdict: () => 'breaking',
  loss: () => 'two-way',
  newerFields: () => [],
  describedFields: () => [],
  stored: () => null,
}

/** `two-way`: no data is lost; `keeps`: data that the other version cannot see stays stored; `loses`: see its `why`. */
export type DataLoss = 'two-way' | 'keeps' | 'loses'

/** A declared change in one line: `customers.full_name → name`, `renamed`. */
export interface ChangeLine {
  readonly where: string
  readonly what: string
}

/** What a change means for stored rows. Tables and columns are called by the names of resources and fields. */
export type StoreEffect =
  | { readonly kind: 'table-renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'column-renamed'; readonly from: string; readonly to: string }
  /** A belongs-to relation has a column `{relation}_id`; a has-many relation has none. */
  | { readonly kind: 'relation-renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'columns-added'; readonly fields: readonly string[] }
  /** The column stays for as long as the older version is served; `schema` is what it holds. */
  | { readonly kind: 'column-hidden'; readonly field: string; readonly schema: z.ZodType }
  | {
      readonly kind: 'values-mapped'
      readonly field: string
      readonly values: { readonly [old: string]: string }
      readonly onlyInNewer: { readonly [newer: string]: string }
    }
  | { readonly kind: 'type-changed'; readonly field: string; readonly codec: CodecName }
