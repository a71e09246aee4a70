import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { every, type JobContext, job } from '../../src/declare/job.ts'
import { resource } from '../../src/declare/resource.ts'

/** What a run was given. */
export interface Seen {
  readonly name: string
  readonly text: string
  readonly account: string
  readonly id: string
  readonly attempt: number
}

/**
 * An API whose hooks hand jobs over as the rows say, and whose jobs do what their payload says: `note` writes a row, `fail` throws, and so
 * on. `seen` has every run.
 */
export function jobsApi(retries?: readonly ('0s' | '1s' | '5s' | '1m')[]) {
  const seen: Seen[] = []
  const runs: { [text: string]: (context: JobContext) => unknown } = {}
  const notes = resource('notes', { fields: { text: z.string().max(200) } })
  const remind = job(
    z.object({ text: z.string().max(100) }),
    async ({ text }, context) => {
      const { account, id, attempt } = context
      seen.push({ name: 'remind', text, account, id, attempt })
      await runs[text]?.(context)
    },
    { ...(retries && { retries }), within: '1m' },
  )
  const loans = resource('loans', {
    fields: {
      text: z.string().max(200),
      at: z.string().max(100).optional(),
      unique: z.string().max(300).optional(),
      /** How the job is handed over, where it is not as it should be. */
      wrong: z.string().max(50).optional(),
    },
    problems: { no: { status: 409, title: 'No' } },
    bulk: true,
    hooks: {
      async afterCreate(loan, { later, reject }) {
        const options = {
          ...(loan.at !== null && { at: loan.at }),
          ...(loan.unique !== null && { unique: loan.unique }),
        }
        if (loan.wrong === 'name') await later('remnd', { text: loan.text })
        else if (loan.wrong === 'payload') await later('remind', { txt: loan.text })
        else if (loan.wrong === 'date') await later('remind', { text: new Date() })
        else if (loan.wrong === 'by name') await later('remind', { text: loan.text })
        else if (loan.wrong === 'every') await later('tidy', null)
        else if (loan.wrong === 'not awaited') void later(remind, { text: loan.text }, options)
        else await later(remind, { text: loan.text }, options)
        if (loan.wrong === 'rejected') reject({ code: 'no', detail: 'It is undone.' })
        if (loan.wrong === 'broken') throw new Error('after the job')
      },
      async afterUpdate(loan, _, { later }) {
        await later('remind', { text: `updated ${loan.text}` })
      },
      async afterDelete(loan, { later }) {
        await later('remind', { text: `deleted ${loan.text}` })
      },
    },
  })
  const declaration = api('jobs', {
    resources: [loans, notes],
    jobs: {
      remind,
      tidy: every('1h', async ({ as, id, attempt }) => {
        seen.push({ name: 'tidy', text: '', account: '', id, attempt })
        await runs.tidy?.({ as: (caller: object) => as({ account: 'acme', ...caller }) } as JobContext)
      }),
    },
  })
  return { declaration, seen, runs }
}
