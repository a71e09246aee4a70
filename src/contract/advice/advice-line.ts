import type { Version } from '../../compile/model.ts'
import type { Change } from '../../declare/change.ts'
import type { Difference, Subject } from '../diff/difference.ts'
import { callSource } from './change-source.ts'

/** The step from a version to the next newer one. */
export interface Crossing {
  /** The changes that the older version has. */
  readonly declared: readonly Change[]
  readonly newer: Version
}

/** A difference whose subject has the names of the newer version, and `older` those of the older one. */
export interface Renamed extends Difference {
  readonly older: Subject
}

/** Code that declares a change, or a remark about a difference that no change declares. It can be pasted between others into a list of changes. */
export interface AdviceLine {
  readonly text: string
  readonly isRemark: boolean
}

export const codeLine = (...call: Parameters<typeof callSource>): AdviceLine =>
  writtenLine(callSource(...call))

/** The comma stands before the remark, where it is not part of it. */
export const writtenLine = (code: string, remark?: string): AdviceLine => ({
  text: `${code},${remark === undefined ? '' : ` // ${remark}`}`,
  isRemark: false,
})

export const remarkLine = (where: string, remark: string): AdviceLine => ({
  text: `// ${where}: ${remark}`,
  isRemark: true,
})
