import type { Model } from '../compile/model.ts'
import { problemExample, problemUri } from '../contract/openapi/problem-schemas.ts'
import type { ProblemKind } from '../problems.ts'

/** One kind of problem, for programs. */
export interface ProblemEntry {
  readonly type: string
  readonly url: string
  readonly status: number
  readonly title: string
  readonly meaning: string
  readonly fix: string
  readonly example: object
}

/** The entry of a type; null for one that is neither the engine's nor declared. */
export const problemEntry = ({ problems }: Model, type: string): ProblemEntry | null => {
  const kind = problems.get(type)
  return kind ? entryOf(type, kind) : null
}

export const problemEntries = ({ problems }: Model): readonly ProblemEntry[] =>
  [...problems].map(([type, kind]) => entryOf(type, kind))

const entryOf = (type: string, kind: ProblemKind): ProblemEntry => ({
  type: problemUri(type, kind),
  url: `/problems/${type}`,
  status: kind.status,
  title: kind.title,
  meaning: kind.meaning,
  fix: kind.fix,
  example: problemExample(type, kind),
})
