import type { Resource, SumFeed } from '../compile/model.ts'
import { insertEntries, insertEntryAlone } from './audit.ts'
import { countSum, wrongSums } from './counted-sums.ts'
import type { Dialect } from './dialect.ts'
import { insertEventAlone, insertPlaced, insertWaiting, selectLastPosition } from './events.ts'
import { Plans } from './plans.ts'
import { insertArrayAlone, type RowArray } from './row-array.ts'
import type { RowStatement } from './row-statements.ts'
import {
  type Along,
  deleteRow,
  fillReferences,
  insertRow,
  insertRowAlong,
  insertRowAndRead,
  insertRows,
  insertRowsAlong,
  insertWholeRows,
  type ListAlong,
  updateRow,
} from './write-statements.ts'

/** Plans each statement that changes rows once, as `Planner` does. */
export class WritePlanner {
  readonly #plans = new Plans()
  readonly #dialect: Dialect

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** Plans anew from here on. */
  forget(): void {
    this.#plans.clear()
  }

  readonly insert = this.#plans.of((resource: Resource) => insertRow(resource, this.#dialect))

  readonly insertAndRead = this.#plans.of((resource: Resource) => insertRowAndRead(resource, this.#dialect))

  readonly insertAlong = this.#plans.of((resource: Resource, along: Along) =>
    insertRowAlong(resource, along, this.#dialect),
  )

  readonly insertManyAlong = this.#plans.of((resource: Resource, along: ListAlong) =>
    insertRowsAlong(resource, along, this.#dialect),
  )

  readonly insertWhole = this.#plans.of((resource: Resource, count: number) =>
    insertWholeRows(resource, count, this.#dialect),
  )

  readonly insertMany = this.#plans.of((resource: Resource, alike: boolean) =>
    insertRows(resource, alike, this.#dialect),
  )

  readonly insertArray = this.#plans.of((array: RowArray, alike: boolean) =>
    insertArrayAlone(array, alike, this.#dialect),
  )

  readonly fillReferences = this.#plans.of((resource: Resource, names: readonly string[]) =>
    fillReferences(resource, names, this.#dialect),
  )

  readonly update = this.#plans.of((resource: Resource, fields: readonly string[]) =>
    updateRow(resource, fields, this.#dialect),
  )

  readonly delete = this.#plans.of((resource: Resource) => deleteRow(resource, this.#dialect))

  insertEvent(): RowStatement {
    return this.#insertEvent(this.#dialect)
  }

  insertWaiting(count: number): RowStatement {
    return this.#insertWaiting(this.#dialect, count)
  }

  lastPosition(): RowStatement {
    return this.#lastPosition(this.#dialect)
  }

  insertPlaced(count: number): RowStatement {
    return this.#insertPlaced(this.#dialect, count)
  }

  insertEntry(): RowStatement {
    return this.#insertEntry(this.#dialect)
  }

  insertEntries(count: number): RowStatement {
    return this.#insertEntries(this.#dialect, count)
  }

  countSum(feed: SumFeed, source: Resource): RowStatement {
    return this.#countSum(source, source.feeds.indexOf(feed))
  }

  wrongSums(feed: SumFeed, source: Resource): RowStatement {
    return this.#wrongSums(source, source.feeds.indexOf(feed))
  }

  readonly #insertEvent = this.#plans.of(insertEventAlone)
  readonly #insertWaiting = this.#plans.of(insertWaiting)
  readonly #lastPosition = this.#plans.of(selectLastPosition)
  readonly #insertPlaced = this.#plans.of(insertPlaced)
  readonly #insertEntry = this.#plans.of(insertEntryAlone)
  readonly #insertEntries = this.#plans.of(insertEntries)

  readonly #countSum = this.#plans.of((source: Resource, feed: number) =>
    countSum(feedOf(source, feed), source, this.#dialect),
  )

  readonly #wrongSums = this.#plans.of((source: Resource, feed: number) =>
    wrongSums(feedOf(source, feed), source, this.#dialect),
  )
}

function feedOf({ name, feeds }: Resource, at: number): SumFeed {
  const feed = feeds[at]
  if (!feed) throw new Error(`${name} does not feed this sum`)
  return feed
}
