/**
 * Every way a request can fail: its type, status, title, and how to fix it. A type is never reused for another condition.
 * `uri` is set where IANA registers a type; all others are pages of the service itself, `/problems/{type}`.
 */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  /** What happened, for the problem's page. */
  readonly meaning: string
  /** How a consumer fixes it. */
  readonly fix: string
  readonly uri?: string
}

const kinds = {
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON',
    meaning:
      'The body could not be parsed as JSON, is nested too deeply, or has a key that is not allowed anywhere.',
    fix: 'Send one JSON object, encoded as UTF-8. The detail says where parsing stopped.',
  },
  'bad-query': {
    status: 400,
    title: 'The query string is not understood',
    meaning:
      'A query parameter is unknown here, empty, repeated, or has a value that does not parse. Nothing is ignored silently.',
    fix: 'Correct or remove the parameters named in `errors`.',
  },
  'include-unknown': {
    status: 400,
    title: 'Not a relation',
    meaning: 'A name in `include` is not a relation of the resource.',
    fix: 'Use one of the paths in `allowed`.',
  },
  'include-not-allowed': {
    status: 400,
    title: 'This relation cannot be included',
    meaning: 'The relation exists, but this resource does not offer it for inclusion.',
    fix: 'Use one of the paths in `allowed`, or fetch the related rows from their own collection.',
  },
  'include-too-many': {
    status: 400,
    title: 'Too many relations in one call',
    meaning:
      'More relations were asked for than one call may include, counted after duplicates are removed and parents added.',
    fix: 'Ask for at most `limit` relations, and fetch the rest in another call.',
  },
  'include-too-deep': {
    status: 400,
    title: 'The include path is too deep',
    meaning: 'A path in `include` has more steps than the limit allows.',
    fix: 'Shorten the path to at most `limit` steps, and fetch what lies deeper from its own collection.',
  },
  'include-too-large': {
    status: 400,
    title: 'The answer could have too many rows',
    meaning:
      'The page size multiplied by the rows that each include can add (the cap of a list, one of a to-one) exceeds what one request may return.',
    fix: 'Lower `limit` or include fewer relations; `arithmetic` shows how the number of rows was computed.',
  },
  'response-too-large': {
    status: 422,
    title: 'The answer would be too large',
    meaning:
      'The rows that were asked for, or are to be created, have more bytes than one answer may have. Where the texts of a page alone are too large, nothing of the answer was built; nothing was written either.',
    fix: 'Lower `limit`, or leave out the include that `include` names and fetch its rows from their own collection. Of a list that is created, send fewer rows at once.',
  },
  'totals-too-large': {
    status: 422,
    title: 'Too much to add up in one call',
    meaning:
      'Totals are counted anew for each call, so there is a limit on the rows that one call may count and on its groups; and a sum must be a number that its form can hold.',
    fix: 'Count fewer rows with filters, or group by fewer fields: `detail` says which of the two.',
  },
  'bad-cursor': {
    status: 400,
    title: 'The cursor does not fit this request',
    meaning:
      'The cursor was altered, or was made for another collection, account, version, sort order or filter.',
    fix: 'Start from the first page, and pass on `next_cursor` with the same sort and filter.',
  },
  'idempotency-key-missing': {
    status: 400,
    title: 'An Idempotency-Key is required',
    meaning:
      'Creating this resource twice by accident would do harm, so each create must carry an Idempotency-Key.',
    fix: 'Generate a unique value (a UUID), send it as the Idempotency-Key header, and send the same one when you retry.',
  },
  'idempotency-key-malformed': {
    status: 400,
    title: 'The Idempotency-Key is malformed',
    meaning:
      'The header is empty, repeated, longer than 255 characters, or has characters outside visible ASCII.',
    fix: 'Send one header of 1 to 255 visible ASCII characters, bare or in double quotes.',
  },
  'bad-request': {
    status: 400,
    title: 'The request is not valid HTTP',
    meaning: 'The request breaks a rule of HTTP itself, so nothing more of it was read.',
    fix: 'Check the client or proxy that made it.',
  },
  'credentials-missing': {
    status: 401,
    title: 'Credentials are required',
    meaning: 'The request carries no credentials.',
    fix: 'Send `Authorization: Bearer <key>` with an API key or an access token.',
  },
  'credentials-invalid': {
    status: 401,
    title: 'The credentials are not valid',
    meaning: 'The key or token is mistyped, unknown, revoked, expired, or not meant for this service.',
    fix: 'Check the value for typing errors, or ask the operator of the API for a new one.',
  },
  'scope-missing': {
    status: 403,
    title: 'The credentials do not allow this',
    meaning: 'The key or token is valid, but lacks a scope that this call needs.',
    fix: 'Use credentials that have the scope named in `scope`.',
  },
  'not-permitted': {
    status: 403,
    title: 'The rules do not allow this',
    meaning:
      'The scope is there, but a rule of the resource does not let this caller write the row, as it is or as it would become.',
    fix: 'Write only rows that the rules allow; the OpenAPI document says in words what they are. Nothing was written.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this path for these credentials.',
    fix: 'Check the path, the version and the id. The detail names a near path where there is one.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'This method is not offered here',
    meaning: 'The path exists, but not with this method.',
    fix: 'Use one of the methods in the Allow header.',
  },
  'not-acceptable': {
    status: 406,
    title: 'None of the accepted media types is available',
    meaning: 'The Accept header excludes everything this path can produce.',
    fix: 'Accept one of the media types that the detail names.',
  },
  'unique-conflict': {
    status: 409,
    title: 'The value is taken',
    meaning: 'Another row already has this value, and values must be unique.',
    fix: 'Choose another value, or find and use the row that has it.',
  },
  'still-referenced': {
    status: 409,
    title: 'Other rows still depend on this one',
    meaning:
      'The row cannot be deleted while rows of the resources named in `referenced_by` point to it, or to rows that would be deleted along with it. Nor while more of them would be deleted along than one request may delete.',
    fix: 'Delete or change those rows first; where they are too many to be deleted along, some of them.',
  },
  'transition-not-allowed': {
    status: 409,
    title: 'The state cannot move there',
    meaning: 'The state field may only move along declared moves, and this move is not one of them.',
    fix: 'Move to one of the states in `allowed`.',
  },
  'state-conflict': {
    status: 409,
    title: 'Not possible in the current state',
    meaning: 'This row can only be written while it, or the row it belongs to, is in certain states.',
    fix: 'The detail names the states in which it is possible.',
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'The first request with this key is still running',
    meaning:
      'A request with the same Idempotency-Key has not finished, and did not within the time this one waited.',
    fix: 'Retry with the same key after the time in Retry-After.',
  },
  'events-expired': {
    status: 410,
    title: 'Events after this cursor are gone',
    meaning:
      'Events are kept for a number of days. Some that follow the cursor were deleted since: whoever follows it has missed something.',
    fix: 'Fetch anew what you keep a copy of, then go on with `oldest_cursor`.',
  },
  'version-retired': {
    status: 410,
    title: 'This version has been retired',
    meaning: 'The version was deprecated, its sunset has passed, and it is no longer served.',
    fix: 'Move to the successor; the migration guide in the Link header maps every path and field.',
  },
  'precondition-failed': {
    status: 412,
    title: 'The resource has changed',
    meaning: 'If-Match names a version of the resource that is no longer the current one.',
    fix: 'Fetch it again, apply your change to what you get, and send the new ETag.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    meaning: 'The body exceeds the limit; reading stopped there.',
    fix: 'Send at most the number of bytes in `limit`.',
  },
  'uri-too-long': {
    status: 414,
    title: 'The URL is too long',
    meaning: 'The path and query exceed the limit.',
    fix: 'Shorten the query, for example by filtering for fewer values at once.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type is not supported',
    meaning: 'The Content-Type is missing, or is not one this path reads.',
    fix: 'Send `Content-Type: application/json`; for PATCH also `application/merge-patch+json`.',
  },
  'validation-failed': {
    status: 422,
    title: 'Some fields are not valid',
    meaning: 'The body is JSON, but some of its values break the rules of their fields.',
    fix: 'Correct every field named in `errors`.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    meaning: 'The key belongs to an earlier request with another method, path, query or body.',
    fix: 'Use a new key for a new request; send the very same request to retry.',
  },
  'precondition-required': {
    status: 428,
    title: 'If-Match is required',
    meaning: 'This resource is only changed by callers who say which version of it they saw.',
    fix: 'Fetch the resource and send its ETag as If-Match.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    meaning: 'The account has used up its requests for now.',
    fix: 'Wait for the seconds in Retry-After, and spread calls over time.',
    uri: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  },
  'too-many-streams': {
    status: 429,
    title: 'Too many open streams',
    meaning: 'The account has as many open streams of events as it may have.',
    fix: 'Close a stream that is no longer needed, or follow several types of events with one stream.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and headers exceed the limit.',
    fix: 'Send fewer or smaller headers.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The headers or the body did not arrive in time.',
    fix: 'Send the whole request at once.',
  },
  unexpected: {
    status: 500,
    title: 'Something went wrong on our side',
    meaning: 'The service failed unexpectedly. The failure was logged under the request id.',
    fix: 'Retry; if it persists, report the request id in `instance` to the operator.',
  },
  'transfer-coding-unknown': {
    status: 501,
    title: 'The transfer coding is not supported',
    meaning: 'The Transfer-Encoding names a coding other than `chunked`, so the body cannot be read.',
    fix: 'Send the body with `Transfer-Encoding: chunked` alone, or with a Content-Length.',
  },
  'store-unavailable': {
    status: 503,
    title: 'The store cannot be reached',
    meaning:
      'The service runs, but its database does not answer at the moment, or its disk takes no writes: `detail` says which. Nothing was half-done.',
    fix: 'Retry after the time in Retry-After, with the same Idempotency-Key for creates.',
  },
  'search-not-ready': {
    status: 503,
    title: 'The search is not ready',
    meaning:
      'Some rows of the account are not in the index of the search yet: the search is new, or an older release has just written rows. They are added now.',
    fix: 'Retry after the time in Retry-After. Lists without a search are answered.',
  },
  'issuer-unavailable': {
    status: 503,
    title: 'The token cannot be verified at the moment',
    meaning: 'The keys of the issuer of access tokens could not be fetched. The token itself may be fine.',
    fix: 'Retry after the time in Retry-After.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    meaning:
      'More requests are in flight than the service accepts, so this one was refused without being processed.',
    fix: 'Retry after the time in Retry-After.',
    uri: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
  },
  'shutting-down': {
    status: 503,
    title: 'The service is restarting',
    meaning: 'This process is finishing its last requests.',
    fix: 'Retry after the time in Retry-After; another process will answer.',
  },
  'answer-timed-out': {
    status: 504,
    title: 'The answer took too long',
    meaning:
      'The code that answers for this resource did not answer in its time. It may have done its work all the same.',
    fix: 'Retry later; a create with the same Idempotency-Key, by which the code can tell that it is the same.',
  },
  'http-version-unsupported': {
    status: 505,
    title: 'This HTTP version is not supported',
    meaning: 'The request line names an HTTP version other than 1.0 or 1.1.',
    fix: 'Send the request as HTTP/1.1.',
  },
} satisfies { [type: string]: ProblemKind }

export type ProblemType = keyof typeof kinds

export const isEngineProblem = (type: string): type is ProblemType => Object.hasOwn(kinds, type)

export const problemKinds: { readonly [T in ProblemType]: ProblemKind } = kinds

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

export interface ProblemDetails {
  readonly detail: string
  /** Members that only this type of problem has, in the names of the called version. */
  readonly members?: { readonly [name: string]: unknown }
  readonly errors?: readonly FieldError[]
  /** How many mistakes there are beyond `errors`. */
  readonly more?: number
  readonly headers?: { readonly [name: string]: string }
  /** The error in the API author's code. It is logged, and not shown to the caller. */
  readonly cause?: Error
}

/** What an answer shows of the kind of its problem. */
type ShownKind = Pick<ProblemKind, 'status' | 'title'> & { readonly uri?: string | undefined }

/** The refusal of a request. Any stage may throw it; `respond/problem-response.ts` turns it into a response. */
export class Problem extends Error {
  readonly type: string
  readonly status: number
  readonly title: string
  readonly uri: string | undefined
  readonly details: ProblemDetails

  constructor(type: string, kind: ShownKind, details: ProblemDetails) {
    super(details.detail, details.cause && { cause: details.cause })
    this.name = 'Problem'
    this.type = type
    this.status = kind.status
    this.title = kind.title
    this.uri = kind.uri
    this.details = details
  }
}

export const problem = (type: ProblemType, details: ProblemDetails): Problem =>
  new Problem(type, problemKinds[type], details)
