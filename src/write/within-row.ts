import { Problem } from '../problems.ts'
import { placedError, placeOf } from '../request/field-errors.ts'

/** Does a part of the create of a list that is about one of its rows. A refusal says which row that is. */
export async function withinRow<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw ofRow(placeOf(index), error)
  }
}

/** What was thrown while the row at a place of a list was looked at: a refusal says which row that is. A row that was sent alone has no place. */
export function ofRow(place: string, error: unknown): unknown {
  if (!(error instanceof Problem) || place === '') return error
  return new Problem(error.type, error, {
    ...error.details,
    detail: `${place.slice(1)}: ${error.details.detail}`,
    ...(error.details.errors && { errors: error.details.errors.map((one) => placedError(one, place)) }),
  })
}
