import type { Choice, Ordered } from './api-shape.ts'

// The resources that an API with events or an audit has without declaring them, as `client<typeof shop>` sees them.

/** `Name` are the resources whose changes are events. */
export interface EngineShapes<Name extends string> {
  readonly events: EventsShape<Name>
  readonly 'webhook-endpoints': EndpointsShape
  readonly 'webhook-secrets': SecretsShape
  readonly 'webhook-deliveries': DeliveriesShape
}

/** `Name` are the resources whose changes are audit entries. */
export type AuditShapes<Name extends string> = [Name] extends [never]
  ? unknown
  : { readonly 'audit-entries': AuditShape<Name> }

/** Endpoints and their secrets are recorded where the whole API is. */
export type AuditedEndpoints<Audit> = Audit extends true ? 'webhook-endpoints' | 'webhook-secrets' : never

/** The problems of their hooks. */
export type EngineProblem = 'too-many-webhook-endpoints' | 'webhook-endpoint-inactive'

type Nothing = Record<never, never>
type Growing = string & Nothing

interface EventsShape<Name extends string> {
  readonly row: { id: string; type: string }
  readonly create: Nothing
  readonly replace: Nothing
  readonly patch: Nothing
  readonly filter: {
    readonly type?: Choice<`${Name}.${'created' | 'updated' | 'deleted'}`> | undefined
    readonly resource_id?: Choice<string> | undefined
    readonly created_at?: Ordered<string | Date> | undefined
  }
  readonly either: false
  readonly sort: never
  readonly by: never
  readonly search: false
  readonly count: false
  readonly bulk: false
  readonly include: never
  readonly relations: Nothing
  readonly methods: 'GET'
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

interface AuditShape<Name extends string> {
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
  readonly create: Nothing
  readonly replace: Nothing
  readonly patch: Nothing
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
  readonly search: false
  readonly count: false
  readonly bulk: false
  readonly include: never
  readonly relations: Nothing
  readonly methods: 'GET'
  readonly top: true
}

interface EndpointsShape {
  readonly row: {
    id: string
    url: string
    event_types: string[]
    description: string | null
    active: boolean
    version: string
    disabled_reason: 'gone' | 'failing' | 'version-retired' | 'key-ended' | Growing | null
    owner: { consumer: string; subject: string | null } | null
    /** Only the answer to the create shows it. */
    secret: string | null
    created_at: string
    updated_at: string
  }
  readonly create: {
    readonly url: string
    readonly event_types: readonly string[]
    readonly description?: string | null | undefined
    readonly active?: boolean | null | undefined
  }
  readonly replace: Nothing
  readonly patch: {
    readonly url?: string | undefined
    readonly event_types?: readonly string[] | undefined
    readonly description?: string | null | undefined
    readonly active?: boolean | null | undefined
  }
  readonly filter: { readonly active?: Choice<boolean> | undefined }
  readonly either: true
  readonly sort: never
  readonly by: never
  readonly search: false
  readonly count: false
  readonly bulk: false
  readonly include: never
  readonly relations: {
    readonly secrets: { readonly kind: 'many'; readonly to: 'webhook-secrets'; readonly by: 'endpoint_id' }
    readonly deliveries: {
      readonly kind: 'many'
      readonly to: 'webhook-deliveries'
      readonly by: 'endpoint_id'
    }
  }
  readonly methods: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly top: true
}

interface OfEndpoint {
  readonly endpoint: { readonly kind: 'one'; readonly to: 'webhook-endpoints'; readonly by: never }
}

interface SecretsShape {
  readonly row: {
    id: string
    endpoint_id: string
    expires_at: string | null
    /** Only the answer to the create shows it. */
    secret: string | null
    created_at: string
    updated_at: string
  }
  readonly create: { readonly endpoint_id: string }
  readonly replace: Nothing
  readonly patch: Nothing
  readonly filter: Nothing
  readonly either: false
  readonly sort: never
  readonly by: never
  readonly search: false
  readonly count: false
  readonly bulk: false
  readonly include: never
  readonly relations: OfEndpoint
  readonly methods: 'GET' | 'POST'
  readonly top: false
}

interface DeliveriesShape {
  readonly row: {
    id: string
    endpoint_id: string
    event_id: string
    type: string
    status: 'pending' | 'delivered' | 'failed'
    attempts: number
    next_attempt_at: string | null
    last_status_code: number | null
    last_error: string | null
    created_at: string
    updated_at: string
  }
  readonly create: { readonly endpoint_id: string; readonly event_id: string }
  readonly replace: Nothing
  readonly patch: Nothing
  readonly filter: {
    readonly status?: Choice<'pending' | 'delivered' | 'failed'> | undefined
    readonly event_id?: Ordered<string> | undefined
  }
  readonly either: true
  readonly sort: never
  readonly by: never
  readonly search: false
  readonly count: false
  readonly bulk: false
  readonly include: never
  readonly relations: OfEndpoint
  readonly methods: 'GET' | 'POST'
  readonly top: false
}
