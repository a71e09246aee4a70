import type { FieldKind } from '../kinds/kinds.ts'
import type { Binds } from './statement.ts'

/** `VALUES` of so many rows of one account: the account, and values of these kinds, which are bound row by row. */
export function rowsOfAccount(
  binds: Binds,
  columns: readonly { readonly kind: FieldKind }[],
  count: number,
): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const account = binds.useAnew('account', 'id')
    const values = columns.map(({ kind }, at) => binds.use(row * columns.length + at, kind))
    return `(${[account, ...values].join(', ')})`
  })
  return `VALUES ${rows.join(', ')}`
}
