import type { ViewField } from '../compile/model.ts'
import { pointerStep } from '../compile/schemas/validate.ts'
import { type FieldError, problem } from '../problems.ts'
import type { FieldErrors } from './field-errors.ts'

export const fieldFault = (field: ViewField, detail: string, code: string): FieldError => ({
  pointer: `#/${pointerStep(field.name)}`,
  detail,
  code,
})

/** One problem for all that is wrong with the fields of a body. */
export function fieldsRefused(errors: FieldErrors, cause: Error | null = null): Error {
  const [first] = errors.shown
  // The detail is for people, so the name stands without the `#/` of the pointer.
  const where = decodeURIComponent(first?.pointer?.slice(2) ?? '')
  return problem('validation-failed', {
    detail: withOthers(`${where || 'The body'} ${first?.detail}`, errors.count - 1),
    ...errors.details,
    ...(cause ? { cause } : {}),
  })
}

/** The first fault may end with a question ("did you mean …?"), which needs no full stop. */
function withOthers(first: string, others: number): string {
  if (first.endsWith('?')) return others > 0 ? `${first} And ${others} more.` : first
  return others > 0 ? `${first}, and ${others} more.` : `${first}.`
}

export function refuseFields(errors: FieldErrors): void {
  if (errors.count > 0) throw fieldsRefused(errors)
}
