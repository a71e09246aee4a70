import type { JsonSchema } from '../declare/json-schema.ts'
import type { IdempotencyMode, Method, ScopeRule } from '../declare/resource.ts'
import type { RuleKind } from '../declare/rule.ts'

/**
 * All that a consumer of one version can see, as the data that is frozen in `contracts/{version}.json`.
 * The type is defined here, below `contract/`, because a frozen contract also decides what an older version hides.
 */
export interface Contract {
  readonly format: 2
  readonly api: string
  readonly version: string
  /** The title of the API. */
  readonly title: string
  readonly description?: string
  readonly lifecycle: ContractLifecycle
  readonly service: ContractService
  readonly resources: { readonly [name: string]: ContractResource }
  /** Absent where the version shows no events. */
  readonly events?: ContractEvents
  /** Paths without the version: `/orders/{id}/items`. */
  readonly paths: { readonly [path: string]: { readonly [M in Method]?: ContractOperation } }
}

/** Days, not moments; `unversioned` says whether paths without a version are served by this one. */
export interface ContractLifecycle {
  readonly published: string | null
  readonly deprecated: string | null
  readonly sunset: string | null
  readonly unversioned: boolean
}

/** What holds for the whole service, whichever version is called. */
export interface ContractService {
  readonly authentication: readonly string[]
  /** How tokens tell who calls, by issuer. Absent where none are accepted. */
  readonly tokens?: readonly ContractTokens[]
  /** The API's own scopes, with what they open. Absent where it declares none. */
  readonly scopes?: { readonly [scope: string]: string }
  readonly request_media_types: { readonly [method: string]: readonly string[] }
  readonly response_media_types: readonly string[]
  readonly envelopes: { readonly [name: string]: readonly string[] }
  readonly idempotency: { readonly retention_hours: number; readonly key_characters: number }
  readonly limits: { readonly [name: string]: number }
  readonly rate: ContractRate
  /** Headers on every response. */
  readonly headers: readonly string[]
  /** Problems that any call can get. */
  readonly problems: ContractProblems
}

export interface ContractTokens {
  /** What subjects and consumers begin with. Absent where it is nothing. */
  readonly prefix?: string
  /** Without `account` where the API has one account. */
  readonly claims: { readonly account?: string; readonly consumer: string; readonly scopes: string }
}

/** Status → problem types. */
export type ContractProblems = { readonly [status: string]: readonly string[] }

export interface ContractRate {
  readonly per_second: number
  readonly burst: number
}

export interface ContractEvents {
  /** `orders.created` */
  readonly types: readonly string[]
  readonly keep_days: number
}

export interface ContractResource {
  readonly description?: string
  readonly fields: { readonly [name: string]: ContractField }
  readonly relations: { readonly [name: string]: ContractRelation }
  readonly include: readonly string[]
  /** Field → operators. */
  readonly filters: { readonly [field: string]: readonly string[] }
  readonly sorts: readonly string[]
  /** Of totals: whose rows are counted, and fields of these. Absent for all other resources. */
  readonly totals?: ContractTotals
  /** The fields in which `search` finds words. Absent where there is no search. */
  readonly search?: readonly string[]
  /** Whether a POST may bring a list of rows. Absent where it may not. */
  readonly bulk?: true
  readonly default_sort: readonly string[]
  readonly limits: { readonly [name: string]: number }
  readonly idempotency: { readonly mode: IdempotencyMode; readonly replay: 'stored' | 'reread' }
  readonly if_match: 'optional' | 'required'
  /** Sets of fields whose values no two rows share. */
  readonly unique: readonly (readonly string[])[]
  readonly rules: ContractRules
  /** Whether all accounts have its rows in common. */
  readonly shared: boolean
  /** Which rows callers may see and write, in words. Absent where the resource declares no rules. */
  readonly row_rules?: RowRules
  readonly cache_control: string
  readonly rate?: ContractRate
}

export interface ContractTotals {
  readonly of: string
  readonly by: readonly string[]
  readonly sums: readonly string[]
}

export type RowRules = { readonly [K in RuleKind]?: string }

/** What the state of rows allows. Each part is absent where the resource does not offer the method it is about. */
export interface ContractRules {
  /** Field of a row that is named (`order.status`) → values: rows are created, changed and deleted only while it has one of them. */
  readonly only_while?: StateRules
  readonly delete?: {
    /** Field → values: rows are deleted only while it has one of them. */
    readonly only_while: StateRules
    /** Relations (`payments.order`) whose rows block the delete of the row they refer to. */
    readonly refused_by: readonly string[]
    /** Relations whose rows are deleted with the row they refer to. */
    readonly takes_along: readonly string[]
  }
}

export type StateRules = { readonly [field: string]: readonly string[] }

export interface ContractField {
  readonly description?: string
  /** Absent for fields that only the server sets. */
  readonly request?: {
    readonly schema: JsonSchema
    readonly required: boolean
    readonly nullable: boolean
    readonly immutable: boolean
    readonly default?: unknown
  }
  /** Absent for fields that are never shown. */
  readonly response?: {
    readonly schema: JsonSchema
    readonly nullable: boolean
    /** Readers must expect new values. */
    readonly open?: true
  }
  readonly states?: {
    readonly initial: string
    readonly moves: { readonly [from: string]: readonly string[] }
  }
  /** Only callers with these scopes see and send it. Absent where everyone does. */
  readonly needs_scopes?: readonly string[]
  /** The resource whose id it is. */
  readonly reference?: string
  /** What it adds up: `items.quantity * items.unit_price`. Absent where it is no sum, and where a part of it is not shown. */
  readonly sum?: string
}

export interface ContractRelation {
  readonly kind: 'to-one' | 'to-many'
  readonly resource: string
  /** The field of its rows that leads back, for to-many. Absent where it is not shown. */
  readonly by?: string
  /** The row that a to-one names may be missing, as code answers for it or for the row that names it. Absent where the store checks that. */
  readonly unchecked?: true
  /** The resource whose rows link both sides, for many-to-many. */
  readonly through?: string
  /** Most rows of one include. */
  readonly rows?: number
  readonly description?: string
}

export interface ContractOperation {
  readonly resource: string
  readonly scope: ScopeRule
  readonly success: number
  readonly parameters: readonly string[]
  /** Headers and problems besides those of the service. */
  readonly headers: readonly string[]
  readonly problems: ContractProblems
}
