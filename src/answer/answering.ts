import type { Model } from '../compile/model.ts'
import type { CursorSeal } from '../request/cursor.ts'
import type { Writer } from '../write/writer.ts'
import type { AnswerPlaces } from './places.ts'

/** What every answer of code needs, made once per service. */
export interface Answering {
  readonly writer: Writer
  readonly seal: CursorSeal
  readonly model: Model
  readonly places: AnswerPlaces
}
