import type { Difference, Subject } from '../diff/difference.ts'
import { callSource } from './change-source.ts'

/** A difference whose subject has the names of the newer version, and `older` those of the older one. */
export interface Renamed extends Difference {
  readonly older: Subject
}

/** Code that declares a change, or a remark about a difference that no change declares. */
export interface AdviceLine {
  readonly text: string
  readonly isRemark: boolean
}

export const codeLine = (...call: Parameters<typeof callSource>): AdviceLine => ({
  text: callSource(...call),
  isRemark: false,
})

export const remarkLine = (where: string, remark: string): AdviceLine => ({
  text: `// ${where}: ${remark}`,
  isRemark: true,
})
