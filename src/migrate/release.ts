import type { Step } from './migration-step.ts'

/** What a new declaration takes of a store that is being served. */
export interface Release {
  /** `rolling`: processes of the older declaration serve on, and are replaced one after the other. */
  readonly release: 'rolling' | 'needs-a-stop'
  /** Why they must all be stopped first. */
  readonly because: readonly string[]
}

const ofEngine = (step: Step): boolean => step.table.startsWith('nounkit_')

export function releaseOf(steps: readonly Step[]): Release {
  const because = steps.filter((step) => !step.additive && !ofEngine(step)).map(({ why }) => why)
  return { release: because.length === 0 ? 'rolling' : 'needs-a-stop', because }
}

export const releaseSentence = ({ release, because }: Release): string =>
  release === 'rolling'
    ? 'This release is rolling: processes of the older declaration serve on while they are replaced.'
    : `This release needs a stop of the processes of the older declaration, because ${because.join('; ')}.`
