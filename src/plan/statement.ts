import type { Grants } from '../call/grants.ts'
import type { Included } from '../call/included.ts'
import { shownTo } from '../call/shown-fields.ts'
import type { CallerValue, Resource, View, ViewField } from '../compile/model.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import type { BoundValue } from './bind.ts'
import type { Dialect } from './dialect.ts'
import { ruleSql } from './rule-sql.ts'

/**
 * Where a bound value comes from: the request's account, the ids of its path, the page, something about the caller that a rule reads,
 * or the n-th of the request's own values.
 */
export type Slot = 'account' | 'id' | 'owner' | 'limit' | CallerValue | number

/** SQL for one shape of request, compiled once and prepared once. */
export interface Statement<Given = never> {
  readonly text: string
  readonly slots: readonly Slot[]
  /** The values of the slots, from what a call gives. */
  bind(given: Given): BoundValue[]
  /** What its rows show. */
  readonly rows: ShownRows
  /** The rows pass through code of `custom` changes before they are shown. */
  readonly hasCustoms: boolean
  /** Lists are embedded, which may have more rows than their cap. */
  readonly hasLists: boolean
  /** Rows are embedded that code answers for, and that no statement reads. */
  readonly hasAnswers: boolean
  /** Where the texts are whose bytes are in its answer, which has no rows where they are too many; null where they cannot be. */
  readonly measured: readonly string[] | null
}

export interface ShownRows {
  readonly view: View
  readonly tree: readonly Included[]
  readonly grants: Grants
}

/** Collects what a statement binds, so that each value is bound once, and only where the statement uses it. */
export class Binds {
  readonly dialect: Dialect
  /** What the caller's scopes open; null in statements of the service itself, which sees everything. */
  readonly grants: Grants | null
  /** A row past the cap of an embedded list is not read, because nobody measures it. */
  readonly guarded: boolean
  readonly slots: Slot[] = []
  readonly #places = new Map<Slot, number>()
  #aliases = 0

  constructor(dialect: Dialect, grants: Grants | null = null, guarded = false) {
    this.dialect = dialect
    this.grants = grants
    this.guarded = guarded
  }

  /** A new alias for a table, with its dot. Aliases are short, because databases cut long names. */
  alias(): string {
    return `t${++this.#aliases}.`
  }

  use(slot: Slot, kind: FieldKind): string {
    const place = this.#places.get(slot) ?? this.slots.push(slot)
    this.#places.set(slot, place)
    return this.dialect.param(place, kind)
  }

  /** A parameter of its own, also where the slot has one: rows of an INSERT name all their parameters in order. */
  useAnew(slot: Slot, kind: FieldKind): string {
    const place = this.slots.push(slot)
    this.#places.set(slot, place)
    return this.dialect.param(place, kind)
  }

  /** The fields of a view that the caller may see. */
  shownFields(view: View): readonly ViewField[] {
    if (!this.grants) throw new Error(`a statement of the service itself shows nothing of ${view.name}`)
    return shownTo(view, this.grants).fields
  }

  /**
   * Which rows of a resource a statement may touch: those of the account, and of these, where it runs for a caller, those that the read
   * rule lets the caller see. `"account_id" = $1 AND `, followed by the rule; nothing for shared rows without a rule. `byWords`: an index of
   * words finds them, and not one of the account.
   */
  rows({ shared, rules }: Resource, alias: string, byWords = false): string {
    const account = byWords ? this.#accountOfFound(shared, alias) : this.account(shared, alias)
    const rule = this.grants && rules.read && ruleSql(rules.read, this.grants, alias, this)
    return rule ? `${account}${rule} AND ` : account
  }

  /** The one row of the bound id, where the statement may touch it. */
  row(resource: Resource, alias = ''): string {
    return `${this.rows(resource, alias)}${alias}"id" = ${this.use('id', 'id')}`
  }

  #accountOfFound(shared: boolean, alias: string): string {
    return shared
      ? ''
      : `${this.dialect.unindexed(`${alias}"account_id" = ${this.use('account', 'id')}`)} AND `
  }

  /** The account alone: for the rows that a rule itself reads. Everything else uses `rows`. */
  account(shared: boolean, alias: string): string {
    return shared ? '' : `${alias}"account_id" = ${this.use('account', 'id')} AND `
  }
}
