import { type Bind, statement } from '../plan/bound-statement.ts'
import { writeAlone } from '../store/run-statement.ts'
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
    await this.#write(id, (own) => `INSERT INTO "nounkit_job_runners" ("id", "beats") VALUES (${own}, 0)`)
  }

  /** False where another process has taken this one for dead. */
  async beat(id: string): Promise<boolean> {
    return this.#write(
      id,
      (own) => `UPDATE "nounkit_job_runners" SET "beats" = "beats" + 1 WHERE "id" = ${own}`,
    )
  }

  async remove(id: string): Promise<void> {
    await this.#write(id, (own) => `DELETE FROM "nounkit_job_runners" WHERE "id" = ${own}`)
  }

  /** Removes it, unless it has said meanwhile that it lives. */
  async removeSilent({ id, beats }: RunnerRow): Promise<boolean> {
    return this.#write(
      id,
      (own, bind) =>
        `DELETE FROM "nounkit_job_runners" WHERE "id" = ${own} AND "beats" = ${bind('integer', beats)}`,
    )
  }

  async list(): Promise<readonly RunnerRow[]> {
    const rows = await this.#store.all('SELECT "id", "beats" FROM "nounkit_job_runners"', [])
    return rows.map(([id, beats]) => ({ id: String(id), beats: Number(beats) }))
  }

  /** Writes the row of a process. Whether there was one to write. */
  async #write(id: string, text: (own: string, bind: Bind) => string): Promise<boolean> {
    const write = statement(this.#store.dialect, (bind) => text(bind('string', id), bind))
    return (await writeAlone(this.#store, write, id)) > 0
  }
}
