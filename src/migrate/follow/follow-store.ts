import type { Model } from '../../compile/model.ts'
import { type Session, type Store, StoreRefused } from '../../store/store.ts'
import { formerNamesOf } from '../decide/former-names.ts'
import { wayToLose } from '../decide/loss.ts'
import { refuseToFollow } from '../decide/not-followed.ts'
import { Decisions, type Following, Undecided } from '../decide/open-decisions.ts'
import { migrate } from '../migrate-store.ts'
import type { Step } from '../migration-step.ts'
import { changeTables } from '../plan/change-tables.ts'
import { planFollow } from '../plan/plan-follow.ts'
import type { ChangePlan } from '../plan/table-change.ts'
import type { Present, TableSql } from '../plan/table-sql.ts'
import { postgresTables } from '../postgres/database.ts'
import { forgetNames } from '../record/names-record.ts'
import { recordedPublished } from '../record/published.ts'
import { readShape, recordShape, type StoredShape, shapeOf } from '../record/shape.ts'
import { generationAtStart, nextGeneration, readGeneration } from '../record/store-generation.ts'
import { renameNamed } from '../rows/endpoints-and-keys.ts'
import { rewriteEvents } from '../rows/rewrite-events.ts'
import { sharedRows } from '../rows/shared-values.ts'
import { sqliteTables } from '../sqlite/database.ts'
import { computeAll, type Sum, sumSteps, sumsOf } from '../sums/sums.ts'
import { engineTables } from '../wanted/engine-tables.ts'
import type { Table } from '../wanted/table.ts'
import { wantedTables } from '../wanted/wanted-tables.ts'
import type { Followed, FollowOptions } from './follow-options.ts'
import { onCluster, onlyAdditions } from './only-additions.ts'
import { shownAdditions } from './shown-additions.ts'

/**
 * Makes the store fit a declaration of which no version is published, and keeps all rows: fields may become optional or required, be
 * dropped, renamed or of another kind, resources may be dropped or renamed. All of it is one transaction on every store. What would lose
 * data, and what only a person knows, is asked or refused as `following` says.
 */
export async function followStore(
  store: Store,
  model: Model,
  following: Following = {},
  options: FollowOptions = {},
): Promise<Followed> {
  return store.session(async (session) => {
    const sql = store.dialect.name === 'sqlite' ? sqliteTables : postgresTables(store.dialect)
    return new Follower(store, session, model, sql, following, options).run()
  })
}

/** The store is distributed by Citus; or it is new, or lacks tables of the engine because it is old. */
type OnlyAdditions = 'distributed' | 'incomplete'

async function refusePublished(session: Session): Promise<void> {
  const versions = await recordedPublished(session)
  if (versions !== null)
    throw new StoreRefused(
      `This store has been served with a published version (${versions}), of which this declaration has no contract. Nothing was changed. Restore the folder contracts/, or name another store in DATABASE_URL.`,
    )
}

interface Planned {
  readonly plan: ChangePlan
  readonly present: Present
  readonly shape: StoredShape | null
  readonly additions: readonly Step[]
}

interface PlannedUnlocked extends Planned {
  readonly generation: number
}

class Follower {
  readonly #store: Store
  readonly #session: Session
  readonly #model: Model
  readonly #sql: TableSql
  readonly #following: Following
  readonly #options: FollowOptions
  readonly #decisions: Decisions
  readonly #wanted: readonly Table[]
  readonly #resourceTables: readonly Table[]
  readonly #sums: readonly Sum[]

  constructor(
    store: Store,
    session: Session,
    model: Model,
    sql: TableSql,
    following: Following,
    options: FollowOptions,
  ) {
    this.#store = store
    this.#session = session
    this.#model = model
    this.#sql = sql
    this.#following = options.dryRun ? { ...following, ask: undefined } : following
    this.#options = options
    this.#decisions = new Decisions(this.#following)
    this.#wanted = wantedTables(model)
    this.#resourceTables = this.#wanted.filter((table) => !engineTables.includes(table))
    this.#sums = sumsOf(model, store.dialect)
  }

  async run(): Promise<Followed> {
    for (;;) {
      const planned = await this.#planUnlocked()
      if (planned === 'distributed') return onCluster(this.#store, this.#session, this.#model, this.#options)
      if (planned === 'incomplete') return onlyAdditions(this.#store, this.#model, this.#options)
      const { plan, shape, additions, generation } = planned
      const { notes } = plan
      const losses = plan.losses.map(({ ahead }) => ahead)
      if (this.#options.dryRun) {
        this.#refuse(plan)
        return { notes: plan.changes.length > 0 ? notes : [], losses, additions, applied: false, generation }
      }
      await this.#approve(plan)
      const isNew = JSON.stringify(shape) !== JSON.stringify(shapeOf(this.#model))
      if (plan.changes.length === 0 && additions.length === 0 && !isNew && !this.#options.emptying)
        return { notes: [], losses: [], additions: [], applied: false, generation }
      if (!plan.outdates && !this.#options.emptying) return this.#grow(generation)
      await this.#following.beforeChange?.()
      try {
        return await this.#apply(losses)
      } catch (error) {
        if (!(error instanceof Undecided)) throw error
      }
    }
  }

  /**
   * Or why only additions are possible. Another process may change the store meanwhile, so that columns are gone which were there a
   * moment ago.
   */
  async #planUnlocked(): Promise<PlannedUnlocked | OnlyAdditions> {
    for (;;) {
      const generation = await generationAtStart(this.#store)
      try {
        const present = await this.#sql.read(this.#session)
        if ([...present.values()].some((table) => table.spread)) return 'distributed'
        if (!present.has('nounkit_recorders')) return 'incomplete'
        if (!this.#options.emptying) await refusePublished(this.#session)
        return { ...(await this.#plan(present)), generation }
      } catch (error) {
        if ((await generationAtStart(this.#store)) === generation) throw error
      }
    }
  }

  async #plan(present: Present): Promise<Planned> {
    this.#options.stepping?.('comparing the rows with the declaration', 0, 0)
    const shape = await readShape(this.#session)
    const plan = await planFollow({
      session: this.#session,
      dialect: this.#store.dialect,
      model: this.#model,
      wanted: this.#resourceTables,
      present,
      shape,
      former: formerNamesOf(this.#model),
      decisions: this.#decisions,
      emptied: this.#options.emptying !== undefined,
      differences: (table, found) => this.#sql.differences([table], new Map([[found.name, found]])),
      notes: [],
      losses: [],
      refusals: [],
    })
    const computed = await sumSteps(this.#session, this.#sums, present, { locks: false })
    // A process of the older declaration would go on to write the older sums.
    const outdates = computed.some(({ sum, ofNewTable }) => sum && sum !== 'unsure' && !ofNewTable)
    return {
      plan: { ...plan, outdates: plan.outdates || outdates },
      present,
      shape,
      additions: shownAdditions(plan, this.#sql.differences, this.#wanted, present, computed),
    }
  }

  /** Additions need no lock on the whole store, and processes that serve it go on. */
  async #grow(generation: number): Promise<Followed> {
    const { steps, applied } = await migrate(this.#store, this.#model, {
      asDeclared: true,
      ...(this.#options.waiting && { waiting: this.#options.waiting }),
      ...(this.#options.stepping && { stepping: this.#options.stepping }),
    })
    await this.#run([recordShape(shapeOf(this.#model))])
    return { notes: [], losses: [], additions: steps, applied, generation }
  }

  /** Asks about losses; throws where the plan cannot be carried out. */
  async #approve({ refusals, losses: all }: ChangePlan): Promise<void> {
    const losses = all.map(({ ahead }) => ahead)
    this.#refuse({ refusals, losses: all })
    if (losses.length === 0 || this.#decisions.acceptsDataLoss) return
    const answer = await this.#decisions.answer(losses.join('\n'), {
      kind: 'loss',
      text: [...losses, 'Do it all the same?'].join('\n'),
      choices: [
        { value: 'yes', says: 'yes, lose it' },
        { value: 'no', says: 'no, change nothing' },
      ],
    })
    if (answer === 'yes') return
    refuseToFollow(losses, answer === 'no' ? '' : wayToLose(all, this.#decisions))
  }

  /** Throws where the rows refuse the plan. What is lost besides is said too, with what allows it, so that the next try is the last. */
  #refuse({ refusals, losses }: Pick<ChangePlan, 'refusals' | 'losses'>): void {
    if (refusals.length === 0) return
    const isOpen = losses.length > 0 && !this.#decisions.acceptsDataLoss
    const sentences = [...refusals, ...losses.map(({ ahead }) => ahead)]
    refuseToFollow(sentences, isOpen ? wayToLose(losses, this.#decisions) : '')
  }

  async #apply(approved: readonly string[]): Promise<Followed> {
    const shape = await readShape(this.#session)
    const known = new Set([...Object.keys(shape ?? {}), ...this.#resourceTables.map(({ name }) => name)])
    const ours = [...(await this.#sql.read(this.#session)).keys()].filter((name) => known.has(name))
    this.#decisions.locked = true
    try {
      return await this.#sql.locked(this.#store, this.#session, ours, () => this.#applyLocked(approved, ours))
    } finally {
      this.#decisions.locked = false
    }
  }

  async #applyLocked(approved: readonly string[], ours: readonly string[]): Promise<Followed> {
    const { emptying, stepping } = this.#options
    const { plan, present, additions: shown } = await this.#plan(await this.#sql.read(this.#session))
    if (plan.refusals.length > 0 || plan.losses.map(({ ahead }) => ahead).join('\n') !== approved.join('\n'))
      throw new Undecided()
    if (plan.outdates) await this.#following.underLock?.()
    if (emptying) await this.#run([...emptying.statements, ...this.#sql.empty([...ours, ...emptying.tables])])
    const reading = { session: this.#session, dialect: this.#store.dialect }
    const { steps } = changeTables(plan.changes, present, this.#sql)
    const tables = [...new Set(steps.map(({ table }) => table))].filter((table) => table !== '')
    for (const { table, sql, params } of steps) {
      if (table !== '') stepping?.(`changing the rows of ${table}`, tables.indexOf(table), tables.length)
      await (params ? this.#session.all(sql, params) : this.#session.script(sql))
    }
    const additions = this.#sql.differences(this.#wanted, await this.#sql.read(this.#session))
    for (const [done, step] of additions.entries()) {
      stepping?.(step.why, done, additions.length)
      await this.#add(step)
    }
    await rewriteEvents(reading, this.#model, plan.changes)
    await renameNamed(reading, this.#model, plan.changes)
    await computeAll(this.#session, this.#sums)
    await this.#run([
      recordShape(shapeOf(this.#model)),
      ...(emptying ? [] : [forgetNames]),
      ...(plan.outdates ? [nextGeneration] : []),
    ])
    return {
      notes: plan.changes.length > 0 ? plan.notes : [],
      losses: plan.losses.map(({ done }) => done),
      additions: shown,
      applied: true,
      generation: await readGeneration(this.#session),
    }
  }

  async #run(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.#session.script(statement)
  }

  /** The rows are looked at first: PostgreSQL answers nothing more in a transaction in which a statement failed. */
  async #add(step: Step): Promise<void> {
    const shared = await sharedRows(this.#session, this.#store.dialect, step)
    if (shared !== null)
      throw new StoreRefused(
        `These values must be unique now, and ${shared}. Nothing was changed. Change those rows first.`,
      )
    await this.#session.script(step.sql)
  }
}
