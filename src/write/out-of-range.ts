import { problem } from '../problems.ts'

/** The problem for a value, or a sum, that the store cannot keep. */
export const outOfRange = (): Error =>
  problem('validation-failed', {
    detail: 'A value is too large for the service to keep or to compute with.',
    errors: [
      {
        pointer: '#',
        detail: 'leads to a number beyond 2^53 - 1 or a text too long for an index',
        code: 'out_of_range',
      },
    ],
  })
