import type { RuleData } from '../../src/declare/condition.ts'
import type { RuleKind } from '../../src/declare/rule.ts'
import { inOrder } from './list-order.ts'
import { canHold, type JudgedCaller, type JudgedRow, judge } from './rule-model.ts'
import { cap, kindsOfFields, type Ruled, type Rules, toMany, toOne, type Values } from './rule-world.ts'
import type { Row } from './serving.ts'

/** All rows of the account, and of the shared catalogue, in the order they were made. */
export type AllRows = { readonly [resource: string]: readonly Row[] }

/** Where a kind of rule is not declared, another one holds. */
const instead: { readonly [K in RuleKind]: RuleKind | null } = {
  read: null,
  create: 'read',
  update: 'read',
  delete: 'update',
}

/** What the engine has to answer, found by filtering all rows in JavaScript. */
export class Oracle {
  readonly #rules: Rules
  readonly #rows: AllRows
  readonly #caller: JudgedCaller
  readonly #now: string

  constructor(rules: Rules, rows: AllRows, caller: JudgedCaller, now: string) {
    this.#rules = rules
    this.#rows = rows
    this.#caller = caller
    this.#now = now
  }

  all(resource: string): readonly Row[] {
    return this.#rows[resource] ?? []
  }

  find(resource: string, id: unknown): Row | null {
    return this.all(resource).find((row) => row.id === id) ?? null
  }

  #rule(resource: string, kind: RuleKind): RuleData | null {
    const rules = this.#rules[resource as Ruled] ?? {}
    const other = instead[kind]
    return rules[kind] ?? (other && this.#rule(resource, other))
  }

  passes(resource: string, kind: RuleKind, row: Values): boolean {
    const rule = this.#rule(resource, kind)
    if (!rule) return true
    return judge(rule, { row: this.#judged(resource, row), caller: this.#caller, now: this.#now }) === true
  }

  #judged(resource: string, values: Values): JudgedRow {
    return {
      values,
      related: (relation) => {
        const target = toOne[resource]?.[relation] ?? ''
        const row = this.find(target, values[`${relation}_id`])
        return row && this.#judged(target, row)
      },
      kindOf: (field) => kindsOfFields[field] ?? 'id',
    }
  }

  visible(resource: string): readonly Row[] {
    return this.all(resource).filter((row) => this.passes(resource, 'read', row))
  }

  seen(resource: string, id: unknown): Row | null {
    return this.visible(resource).find((row) => row.id === id) ?? null
  }

  /** A row with what was included, as the caller sees it. */
  shown(resource: string, row: Row, paths: readonly string[]): object {
    const whole: { [key: string]: unknown } = { ...row }
    const firsts = new Set(paths.map((path) => path.split('.')[0] ?? ''))
    for (const name of firsts) {
      const below = paths.flatMap((path) =>
        path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : [],
      )
      const target = toOne[resource]?.[name]
      if (target !== undefined) {
        const one = this.seen(target, row[`${name}_id`])
        whole[name] = one && this.shown(target, one, below)
        continue
      }
      const [many, by] = toMany[resource]?.[name] ?? ['items', '']
      const all = this.visible(many).filter((one) => one[`${by}_id`] === row.id)
      whole[name] = {
        data: all.slice(0, cap).map((one) => this.shown(many, one, below)),
        hasMore: all.length > cap,
      }
    }
    return whole
  }

  /** The whole list, through all its pages. */
  list(resource: string, sort: string, matches: (row: Row) => boolean): readonly Row[] {
    return this.visible(resource).filter(matches).toSorted(inOrder(sort))
  }

  /** References to rows that are not there for the caller, except those that the row had before. */
  #hasBadReference(resource: string, next: Values, before: Values): boolean {
    return Object.entries(toOne[resource] ?? {}).some(([name, target]) => {
      const id = next[`${name}_id`] ?? null
      return id !== null && id !== before[`${name}_id`] && this.seen(target, id) === null
    })
  }

  /** A reference to nothing is refused whatever the rule says of the row; a caller who could make no row at all may be told that. */
  #badReference(resource: string): readonly number[] {
    const rule = this.#rule(resource, 'create')
    return rule && !canHold(rule, this.#caller) ? [422, 403] : [422]
  }

  /** The statuses that a create may be answered with. */
  createStatus(resource: string, row: Values): readonly number[] {
    if (this.#hasBadReference(resource, row, {})) return this.#badReference(resource)
    return this.passes(resource, 'create', row) ? [201] : [403]
  }

  updateStatus(resource: string, id: string, change: (before: Row) => Values): readonly number[] {
    const before = this.seen(resource, id)
    if (!before) return [404]
    if (!this.passes(resource, 'update', before)) return [403]
    const next = change(before)
    // A change that changes nothing is not written, so there is nothing to judge after it.
    if (Object.entries(next).every(([name, value]) => before[name] === value)) return [200]
    if (this.#hasBadReference(resource, next, before)) return this.#badReference(resource)
    return this.#with(resource, { ...next, id }).passes(resource, 'create', next) ? [200] : [403]
  }

  /** The same after a row has changed: a row may refer to itself. */
  #with(resource: string, next: Row): Oracle {
    const rows = this.all(resource).map((row) => (row.id === next.id ? next : row))
    return new Oracle(this.#rules, { ...this.#rows, [resource]: rows }, this.#caller, this.#now)
  }

  deleteStatus(resource: string, id: string): number {
    const row = this.seen(resource, id)
    if (!row) return 404
    if (!this.passes(resource, 'delete', row)) return 403
    const isNamed = Object.entries(toOne).some(([from, relations]) =>
      Object.entries(relations).some(
        ([name, target]) =>
          target === resource &&
          this.all(from).some((other) => other[`${name}_id`] === id && other.id !== id),
      ),
    )
    return isNamed ? 409 : 204
  }
}
