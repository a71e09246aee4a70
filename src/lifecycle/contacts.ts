import { randomUUID } from 'node:crypto'
import { statement } from '../plan/bound-statement.ts'
import { ident, idents } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import { type Row, type Store, textOrNull } from '../store/store.ts'
import { recordActIn } from '../write/recorded-acts.ts'

/** A record that a consumer was informed of the end of a version: when, how, by whom. */
export interface Contact {
  readonly version: string
  readonly account: string
  /** The consumer's name. */
  readonly consumer: string
  readonly note: string
  readonly by: string | null
  readonly at: number
}

const table = ident('nounkit_contacts')
const columns = ['version', 'account_id', 'consumer', 'note', 'told_by', 'told_at']

export async function storeContact(store: Store, contact: Contact): Promise<void> {
  const { version, account, consumer, note, by, at } = contact
  const insert = statement(store.dialect, (bind) => {
    const texts = [version, account, consumer, note, by].map((value) => bind('string', value))
    const values = [...texts, bind('integer', at), bind('string', randomUUID())]
    return `INSERT INTO ${table} (${idents([...columns, 'id'])}) VALUES (${values.join(', ')})`
  })
  await store.transaction(async (tx) => {
    await allRows(tx, insert)
    const detail = { version, consumer, note }
    await recordActIn(tx, at, { act: 'consumer-contacted', account, operator: by, detail })
  }, account)
}

/** Every contact, oldest first. */
export async function readContacts(store: Store): Promise<readonly Contact[]> {
  const rows = await store.all(`SELECT ${idents(columns)} FROM ${table} ORDER BY "told_at", "id"`, [])
  return rows.map(contactOf)
}

/** The last one about a version, for each consumer. */
export const lastContacts = (
  contacts: readonly Contact[],
  version: string,
): ((account: string, consumer: string) => Contact | null) => {
  const last = new Map<string, Contact>()
  for (const contact of contacts) {
    if (contact.version === version) last.set(`${contact.account}\n${contact.consumer}`, contact)
  }
  return (account, consumer) => last.get(`${account}\n${consumer}`) ?? null
}

const contactOf = ([version, account, consumer, note, by, at]: Row): Contact => ({
  version: String(version),
  account: String(account),
  consumer: String(consumer),
  note: String(note),
  by: textOrNull(by),
  at: Number(at),
})
