/** One wrong field, parameter or header. */
export interface FieldError {
  readonly pointer?: string
  readonly parameter?: string
  readonly header?: string
  readonly detail: string
  readonly code: string
  /** The names that would have been right. */
  readonly allowed?: readonly string[]
}

interface Errors {
  readonly errors: readonly FieldError[]
}
type None = Record<never, never>
interface OfInclude extends Errors {
  readonly path: string
  readonly allowed: readonly string[]
  readonly suggestion?: string
}

/** The problems of every API, by name, with the members that each has besides those of all. */
export interface ProblemMembers {
  readonly 'malformed-json': None
  readonly 'bad-query': Errors
  readonly 'include-unknown': OfInclude
  readonly 'include-not-allowed': OfInclude
  readonly 'include-too-many': Errors & { readonly limit: number; readonly count: number }
  readonly 'include-too-deep': Errors & {
    readonly limit: number
    readonly count: number
    readonly path: string
  }
  readonly 'include-too-large': Errors & {
    readonly limit: number
    readonly count: number
    readonly arithmetic: string
  }
  readonly 'response-too-large': { readonly limit: number; readonly include?: string }
  readonly 'totals-too-large': { readonly limit?: number }
  readonly 'bad-cursor': Errors
  readonly 'idempotency-key-missing': Errors
  readonly 'idempotency-key-malformed': Errors
  readonly 'bad-request': None
  readonly 'credentials-missing': None
  readonly 'credentials-invalid': None
  readonly 'scope-missing': { readonly scope: string; readonly errors?: readonly FieldError[] }
  readonly 'not-permitted': None
  readonly 'not-found': {
    /** That there is no such version or path. Without it, there is no such row. */
    readonly missing?: 'version' | 'path'
    readonly versions?: readonly string[]
  }
  readonly 'method-not-allowed': None
  readonly 'not-acceptable': None
  readonly 'unique-conflict': { readonly errors?: readonly FieldError[] }
  readonly 'still-referenced': { readonly referenced_by: readonly string[] }
  readonly 'transition-not-allowed': Errors & {
    readonly field: string
    readonly from: string
    readonly to: string
    readonly allowed: readonly string[]
  }
  readonly 'state-conflict': {
    readonly field: string | null
    readonly value: string
    readonly allowed: readonly string[]
  }
  readonly 'idempotency-in-progress': None
  readonly 'events-expired': { readonly oldest_cursor: string }
  readonly 'version-retired': { readonly successor?: string; readonly guide?: string }
  readonly 'precondition-failed': None
  readonly 'body-too-large': { readonly limit: number }
  readonly 'uri-too-long': { readonly limit: number }
  readonly 'unsupported-media-type': None
  readonly 'validation-failed': Errors & { readonly more?: number }
  readonly 'idempotency-key-reused': Errors
  readonly 'precondition-required': None
  readonly 'too-many-requests': { readonly 'violated-policies'?: readonly string[] }
  readonly 'too-many-streams': None
  readonly 'headers-too-large': None
  readonly 'request-timeout': None
  readonly unexpected: None
  readonly 'transfer-coding-unknown': None
  readonly 'store-unavailable': None
  readonly 'issuer-unavailable': None
  readonly overloaded: None
  readonly 'shutting-down': None
  readonly 'http-version-unsupported': None
}
