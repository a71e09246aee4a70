import { statement } from '../plan/bound-statement.ts'
import type { Store } from '../store/store.ts'

/** A process that runs jobs, and how often it has said that it lives. */
export interface RunnerRow {
  readonly id: string
  readonly beats: number
}

/** The statements on the rows of processes that run jobs. */
export class RunnerRows {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async add(id: string): Promise<void> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) => `INSERT INTO "nounkit_job_runners" ("id", "beats") VALUES (${bind('string', id)}, 0)`,
    )
    await this.#store.writeOne(text, values, id)
  }

  /** False where another process has taken this one for dead. */
  async beat(id: string): Promise<boolean> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) => `UPDATE "nounkit_job_runners" SET "beats" = "beats" + 1 WHERE "id" = ${bind('string', id)}`,
    )
    return (await this.#store.writeOne(text, values, id)) > 0
  }

  async remove(id: string): Promise<void> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) => `DELETE FROM "nounkit_job_runners" WHERE "id" = ${bind('string', id)}`,
    )
    await this.#store.writeOne(text, values, id)
  }

  /** Removes it, unless it has said meanwhile that it lives. */
  async removeSilent({ id, beats }: RunnerRow): Promise<boolean> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) =>
        `DELETE FROM "nounkit_job_runners" WHERE "id" = ${bind('string', id)} AND "beats" = ${bind('integer', beats)}`,
    )
    return (await this.#store.writeOne(text, values, id)) > 0
  }

  async list(): Promise<readonly RunnerRow[]> {
    const rows = await this.#store.all('SELECT "id", "beats" FROM "nounkit_job_runners"', [])
    return rows.map(([id, beats]) => ({ id: String(id), beats: Number(beats) }))
  }
}
