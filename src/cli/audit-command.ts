import { readAuditPage } from '../audit/audit-page.ts'
import type { AuditEntry } from '../audit/show-entry.ts'
import { wholeStore } from '../write/recorded-acts.ts'
import { accountOf } from './account-flag.ts'
import { accountKeys, noteEmptyAccount } from './account-keys.ts'
import type { Given } from './command.ts'
import { UsageMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { namedVersion } from './named-version.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  account: {
    type: 'string',
    value: 'ACCOUNT',
    does: "whose entries; needed unless the API has accounts: 'one'",
  },
  store: { type: 'boolean', does: 'what belongs to no account, such as retirements and sign-ins' },
  resource: { type: 'string', value: 'NAME', does: 'only changes of its rows' },
  row: { type: 'string', value: 'ID', does: 'only changes of this row' },
  consumer: { type: 'string', value: 'ID', does: 'only what this consumer did' },
  subject: { type: 'string', value: 'SUBJECT', does: 'only what this subject did' },
  operator: { type: 'string', value: 'NAME', does: 'only what this operator did' },
  since: { type: 'string', value: 'TIME', does: 'only from then on, such as 2026-11-01' },
  until: { type: 'string', value: 'TIME', does: 'only before' },
  limit: { type: 'string', value: 'N', does: 'at most so many; 100 by default' },
  version: { type: 'string', value: 'VERSION', does: 'in the words of this version; the newest by default' },
  json: { type: 'boolean', does: 'prints each entry as JSON, on one line' },
} as const

type Flags = Given<typeof options>['flags']

const mostEntries = 100_000
const pageEntries = 100

/** `nounkit audit [API] --account ACCOUNT …`: prints who changed what, newest first. */
export async function auditCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  if (flags.store && flags.account !== undefined)
    throw new UsageMistake('--store is for what belongs to no account: leave it or --account out.')
  return withStore(place, async ({ model, store }) => {
    const account = flags.store ? wholeStore : accountOf(model, flags.account)
    if (account === undefined)
      throw new UsageMistake('Whose entries? Name the account: --account acme, or write --store.')
    const version = flags.version === undefined ? model.head : namedVersion(model, flags.version)
    const question = { account, ...questionOf(flags) }
    let [left, before, printed] = [readLimit(flags.limit), null as string | null, 0]
    do {
      const limit = Math.min(left, pageEntries)
      const page = await readAuditPage({ store, model }, { ...question, before, limit }, version)
      for (const entry of page.entries) console.log(flags.json ? JSON.stringify(entry) : lineOf(entry))
      printed += page.entries.length
      left -= page.entries.length
      before = page.next
    } while (before !== null && left > 0)
    if (printed === 0 && account !== wholeStore)
      noteEmptyAccount(account, 'no such audit entries', await accountKeys(store, account))
    return 0
  })
}

function questionOf({ resource, row, consumer, subject, operator, since, until }: Flags) {
  const named = { resource, rowId: row, consumer, subject, operator }
  const times = { since: readTime('since', since), until: readTime('until', until) }
  return Object.fromEntries(Object.entries({ ...named, ...times }).filter(([, value]) => value !== undefined))
}

function readTime(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new UsageMistake(`--${flag} is "${text}". Write a day or a time, such as 2026-11-01T09:00:00Z.`)
}

function readLimit(text = '100'): number {
  const limit = Number(text)
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= mostEntries) return limit
  throw new UsageMistake(`--limit is "${text}". Write a number from 1 to ${mostEntries}.`)
}

function lineOf(entry: AuditEntry): string {
  const { created_at, action, resource, row_id, operator, subject, consumer, changed, detail } = entry
  const who = operator ?? subject ?? consumer ?? 'unknown'
  const what = resource === null ? action : `${resource}.${action}`
  const more = changed?.join(', ') ?? (detail && JSON.stringify(detail))
  return [created_at, who.padEnd(20), what.padEnd(24), row_id, more].filter(Boolean).join('  ')
}
