export interface ValueMap {
  /** Total over the stored values. */
  readonly down: ReadonlyMap<string, string>
  /** Total over the shown values; of several stored values with one image, the one a write means. */
  readonly up: ReadonlyMap<string, string>
}
