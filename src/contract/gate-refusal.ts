import type { Difference } from './diff/difference.ts'

/** Why an API is not served: a contract that would be broken, or a contract file that cannot be read. */
export interface Refusal {
  readonly version: string
  /** `v1.json` */
  readonly file: string
  readonly what: string
  readonly hint: string
  readonly differences: readonly Difference[]
  /** The changes to write, as code, where the differences can be declared. */
  readonly lines: readonly string[]
}

/** `breaking  orders.status  value "open" was removed` */
export const differenceText = ({
  verdict,
  where,
  what,
}: Pick<Difference, 'verdict' | 'where' | 'what'>): string => `${verdict.padEnd(8)}  ${where}  ${what}`

export const refusalText = ({ file, what, hint, differences, lines }: Refusal): string =>
  [
    `contracts/${file}: ${what}`,
    ...differences.map((difference) => `  ${differenceText(difference)}`),
    hint,
    ...lines.map((line) => `  ${line}`),
  ].join('\n')
