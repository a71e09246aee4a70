import type { ViewRelation } from '../compile/model.ts'
import { ident } from './dialect.ts'
import type { Binds } from './statement.ts'
import { referenceColumn } from './stored-values.ts'

/** What a condition on a related row finds. */
export interface Finds {
  /** Rows without a related row, too. */
  readonly unset: boolean
  /** Few rows of an account, so that an index on the reference is worth using. */
  readonly few: boolean
}

/** A condition on the row that relations lead to. A row that the caller may not read meets none. */
export function onPath(
  [step, ...rest]: readonly ViewRelation[],
  finds: Finds,
  condition: (alias: string) => string,
  alias: string,
  binds: Binds,
): string {
  if (!step) return condition(alias)
  if (step.relation.kind !== 'belongs-to') throw new Error(`a filter leads through ${step.name} to many rows`)
  const { source, target } = step.relation
  const field = ident(referenceColumn(step.relation))
  const inner = binds.alias()
  const met = onPath(rest, finds, condition, inner, binds)
  const ids = `SELECT ${inner}"id" FROM ${ident(target.table)} ${inner.slice(0, -1)} WHERE ${binds.rows(target, inner)}${met}`
  if (finds.unset) return `(${alias}${field} IS NULL OR ${alias}${field} IN (${ids}))`
  if (!finds.few) return `${alias}${field} IN (${ids})`
  const other = binds.alias()
  const account = binds.account(source.shared, other)
  return binds.dialect.byReference({ table: ident(source.table), alias, other, account, field }, ids)
}
