/** A value in the store's terms: what a column holds, before it is bound (JSON is still a value, a boolean a boolean). */
export type StoredValue = unknown

/** A row in the store's names and terms. */
export type StoredRow = { readonly [field: string]: StoredValue }
