/** Rows of another resource, counted and added up in groups. */
export interface TotalsDeclaration<
  Of extends string = string,
  By extends string = string,
  Sum extends string = string,
> {
  /** The resource whose rows are counted. */
  readonly of: Of
  /** The fields that rows can be grouped by. */
  readonly by: readonly By[]
  /** The numbers and decimals that are added up for each group. */
  readonly sums?: readonly Sum[]
}
