import type { Model, Version } from '../compile/model.ts'
import { guidePath } from '../lifecycle/facts.ts'
import type { Retirement } from '../lifecycle/retirement.ts'
import { type Status, statusOf } from '../lifecycle/status.ts'

/** A version, with its status in words, and the path of its migration guide. */
export interface VersionLife {
  readonly version: Version
  readonly status: string
  readonly guide: string | null
  /** The version to which the guide leads. */
  readonly successor: Version | null
}

export const versionLives = (
  model: Model,
  now: number,
  retirement: Pick<Retirement, 'isRetired' | 'successorOf'>,
): readonly VersionLife[] =>
  model.versions.map((version) => {
    const successor = retirement.successorOf(version)
    return {
      version,
      status: words[statusOf(version, model, now, retirement.isRetired)],
      guide: guidePath(version, successor),
      successor,
    }
  })

const words: { readonly [S in Status]: string } = {
  unpublished: 'not published yet',
  current: 'current',
  supported: 'supported',
  deprecated: 'deprecated',
  sunset: 'past its sunset',
  retired: 'retired',
}
