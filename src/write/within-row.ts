import { Problem } from '../problems.ts'
import { placedError, placeOf } from '../request/field-errors.ts'

/** Does a part of the create of a list that is about one of its rows. A refusal says which row that is. */
export async function withinRow<T>(index: number, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Problem ? placed(error, placeOf(index)) : error
  }
}

const placed = (error: Problem, place: string): Problem =>
  new Problem(error.type, error, {
    ...error.details,
    detail: `${place.slice(1)}: ${error.details.detail}`,
    ...(error.details.errors && { errors: error.details.errors.map((one) => placedError(one, place)) }),
  })
