/** Who calls: authenticated once per request, before the rest of the request is read. */
export interface Caller {
  readonly account: string
  readonly consumer: Consumer
  /** `*` grants all. */
  readonly scopes: ReadonlySet<string>
}

export interface Consumer {
  /** A key's id, or `token:{client}`. Safe to log. */
  readonly id: string
  readonly name: string
  readonly kind: 'external' | 'internal' | 'probe'
}

/** Opens the usage of all accounts; `*` opens that of its own only. */
export const operatorScope = 'operations:read'
