import type { Resource, SumFeed } from '../compile/model.ts'
import { insertEntries, insertEntryAlone } from './audit.ts'
import { countSum, wrongSums } from './counted-sums.ts'
import type { Dialect } from './dialect.ts'
import { insertEventAlone, insertPlaced, insertWaiting, selectLastPosition } from './events.ts'
import { mostRowStatements, PlanCache } from './plan-cache.ts'
import type { RowStatement } from './row-statements.ts'
import {
  type Along,
  deleteRow,
  fillReferences,
  insertRow,
  insertRowAlong,
  insertRowAndRead,
  insertRows,
  insertWholeRow,
  updateRow,
} from './write-statements.ts'

/** Plans each statement that changes rows once. */
export class WritePlanner {
  readonly #dialect: Dialect
  readonly #plans = new PlanCache<RowStatement>()

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** Plans anew from here on. */
  forget(): void {
    this.#plans.clear()
  }

  insert(resource: Resource): RowStatement {
    return this.#plan(`insert ${resource.name}`, () => insertRow(resource, this.#dialect))
  }

  insertAndRead(resource: Resource): RowStatement {
    return this.#plan(`insert-read ${resource.name}`, () => insertRowAndRead(resource, this.#dialect))
  }

  insertAlong(resource: Resource, along: Along): RowStatement {
    const { key, event, entry } = along
    const shape = `insert${key ? '-key' : ''}${event ? '-event' : ''}${entry ? '-entry' : ''} ${resource.name}`
    return this.#plan(shape, () => insertRowAlong(resource, along, this.#dialect))
  }

  insertWhole(resource: Resource): RowStatement {
    return this.#plan(`insert-whole ${resource.name}`, () => insertWholeRow(resource, this.#dialect))
  }

  insertMany(resource: Resource): RowStatement {
    return this.#plan(`insert-many ${resource.name}`, () => insertRows(resource, this.#dialect))
  }

  fillReferences(resource: Resource, names: readonly string[]): RowStatement {
    return this.#plan(`fill ${resource.name} ${names.join(',')}`, () =>
      fillReferences(resource, names, this.#dialect),
    )
  }

  insertEvent(): RowStatement {
    return this.#plan('event', () => insertEventAlone(this.#dialect))
  }

  insertWaiting(count: number): RowStatement {
    return this.#plan(`waiting events ${count}`, () => insertWaiting(this.#dialect, count))
  }

  lastPosition(): RowStatement {
    return this.#plan('last position', () => selectLastPosition(this.#dialect))
  }

  insertPlaced(): RowStatement {
    return this.#plan('placed event', () => insertPlaced(this.#dialect))
  }

  insertEntry(): RowStatement {
    return this.#plan('entry', () => insertEntryAlone(this.#dialect))
  }

  insertEntries(): RowStatement {
    return this.#plan('entries', () => insertEntries(this.#dialect))
  }

  update(resource: Resource, fields: readonly string[]): RowStatement {
    return this.#plan(`update ${resource.name} ${fields.join(',')}`, () =>
      updateRow(resource, fields, this.#dialect),
    )
  }

  delete(resource: Resource): RowStatement {
    return this.#plan(`delete ${resource.name}`, () => deleteRow(resource, this.#dialect))
  }

  countSum(feed: SumFeed, source: Resource): RowStatement {
    return this.#plan(`sum ${source.name} ${feed.on.name} ${feed.field.name}`, () =>
      countSum(feed, source, this.#dialect),
    )
  }

  wrongSums(feed: SumFeed, source: Resource): RowStatement {
    return this.#plan(`wrong ${source.name} ${feed.on.name} ${feed.field.name}`, () =>
      wrongSums(feed, source, this.#dialect),
    )
  }

  #plan(shape: string, plan: () => RowStatement): RowStatement {
    return this.#plans.get(shape, mostRowStatements, plan)
  }
}
