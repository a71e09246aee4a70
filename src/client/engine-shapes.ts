import type { Choice, Ordered } from './api-shape.ts'

// The collections of events and audit entries, as `client<typeof shop>` sees them.

/** What rows that are only read have in common, and that neither have relations nor are searched or counted. */
export interface OnlyRead {
  readonly create: Record<never, never>
  readonly replace: Record<never, never>
  readonly patch: Record<never, never>
  readonly search: false
  readonly count: false
  readonly bulk: false
  readonly include: never
  readonly relations: Record<never, never>
  readonly methods: 'GET'
}

/** `Name` are the resources whose changes are audit entries. */
export type AuditShapes<Name extends string> = [Name] extends [never]
  ? unknown
  : { readonly 'audit-entries': AuditShape<Name> }

/** Endpoints and their secrets are recorded where the whole API is. */
export type AuditedEndpoints<Audit> = Audit extends true ? 'webhook-endpoints' | 'webhook-secrets' : never

type Growing = string & Record<never, never>

/** `Name` are the resources whose changes are events. */
export interface EventsShape<Name extends string> extends OnlyRead {
  readonly row: { id: string; type: string }
  readonly filter: {
    readonly type?: Choice<`${Name}.${'created' | 'updated' | 'deleted'}`> | undefined
    readonly resource_id?: Choice<string> | undefined
    readonly created_at?: Ordered<string | Date> | undefined
  }
  readonly either: false
  readonly sort: never
  readonly by: never
  readonly top: false
}

/** What became of a row, or what an operator did: those of `compile/service/acts.ts` that are of one account. */
type AuditAction =
  | 'created'
  | 'updated'
  | 'deleted'
  | 'key-created'
  | 'key-rotated'
  | 'key-revoked'
  | 'key-scopes-added'
  | 'subject-ended'
  | 'consumer-contacted'
  | 'delivery-retried'
  | 'job-retried'
  | 'account-exported'

interface AuditShape<Name extends string> extends OnlyRead {
  readonly row: {
    id: string
    action: AuditAction | Growing
    /** `null` where no row was changed. */
    resource: Name | Growing | null
    row_id: string | null
    consumer: string | null
    subject: string | null
    operator: string | null
    request_id: string | null
    /** The fields whose values changed, for an update. */
    changed: string[] | null
    /** The fields of the row whose values are not shown here. */
    withheld: string[] | null
    /** The row right before the change; `null` for a create. */
    before: { [name: string]: unknown } | null
    /** The row right after the change; `null` for a delete. */
    after: { [name: string]: unknown } | null
    /** What an operator did, where no row was changed. */
    detail: { [name: string]: unknown } | null
    created_at: string
  }
  readonly filter: {
    readonly action?: Choice<AuditAction> | undefined
    readonly resource?: Choice<Name | null> | undefined
    readonly row_id?: Choice<string | null> | undefined
    readonly consumer?: Ordered<string | null> | undefined
    readonly subject?: Ordered<string | null> | undefined
    readonly operator?: Ordered<string | null> | undefined
    readonly request_id?: Ordered<string | null> | undefined
    readonly created_at?: Ordered<string | Date> | undefined
  }
  readonly either: false
  readonly sort: never
  readonly by: never
  readonly top: true
}
