import { Problem, problem } from '../problems.ts'
import { StoreError } from '../store/store.ts'

/** The problem for a value, or a sum, that the store cannot keep. */
export const outOfRange = (): Error =>
  problem('validation-failed', {
    detail: 'A value is too large for the service to keep or to compute with.',
    errors: [
      {
        pointer: '#',
        detail: 'leads to a number beyond 2^53 - 1 or a text too long for an index',
        code,
      },
    ],
  })

const code = 'out_of_range'

const isOfStore = (error: unknown): boolean => error instanceof StoreError && error.kind === 'out-of-range'

/** Whether a write was refused for such a value, by the store or by `outOfRange`. */
export const isOutOfRange = (error: unknown): boolean =>
  isOfStore(error) || (error instanceof Problem && error.details.errors?.[0]?.code === code)
