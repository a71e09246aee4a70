import type { Version } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { type KnownConsumer, readConsumers } from '../lifecycle/consumers.ts'
import { storeContact } from '../lifecycle/contacts.ts'
import { shellOption } from '../lifecycle/shell-option.ts'
import { anonymous, refused } from '../lifecycle/stand-in-consumers.ts'
import { readOperations } from '../lifecycle/usage-rows.ts'
import { readWebhookConsumers } from '../lifecycle/webhook-consumers.ts'
import type { Store } from '../store/store.ts'
import { accountOf, ofAccount } from './account-flag.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { namedVersion } from './named-version.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { apiAnd } from './positionals.ts'

export const options = {
  consumer: {
    type: 'string',
    value: 'NAME',
    does: 'who was told: a key, token:CLIENT or webhook:ID; needed',
  },
  account: {
    type: 'string',
    value: 'ACCOUNT',
    does: "the consumer's account, where several have one of that name",
  },
  note: { type: 'string', value: 'TEXT', does: 'how it was told, and what it answered; needed' },
  by: { type: 'string', value: 'NAME', does: 'who told it; the user who runs the command by default' },
  json: jsonOption,
} as const

/** `nounkit contact [API] VERSION --consumer NAME --note "…"`: records that a consumer was told about a version's end. */
export async function contactCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place, name] = apiAnd(words, 1)
  const { consumer: wanted, note } = flags
  if (!wanted) throw new UsageMistake('Who was told? --consumer NAME; nounkit usage lists them.')
  if (!note?.trim()) throw new UsageMistake('How were they told? --note "mail to …, answered on …"')
  return withStore(place, async ({ model, store, clock }) => {
    const version = namedVersion(model, name)
    const { account, name: consumer } = pick(
      await allConsumers(store, version),
      wanted,
      accountOf(model, flags.account),
      model.soleAccount,
    )
    const contact = {
      version: version.name,
      account,
      consumer,
      note,
      by: operatorOfCommand(flags.by),
      at: clock.now(),
    }
    await storeContact(store, contact)
    if (flags.json) console.log(JSON.stringify(contact, null, 2))
    else
      console.log(`Noted: ${consumer}${ofAccount(model, account)} was told about the end of ${version.name}.`)
    return 0
  })
}

/** Consumers with a key, consumers whose tokens appear in the recorded usage, and active webhook endpoints of the version. */
async function allConsumers(store: Store, version: Version): Promise<readonly KnownConsumer[]> {
  const known = await readConsumers(store)
  const all = new Map(known.all.map((one) => [`${one.account}\n${one.name}`, one]))
  for (const { account, consumer } of await readOperations(store, { since: 0, account: null })) {
    if (consumer === anonymous || consumer === refused) continue
    const found = known.find(account, consumer)
    all.set(`${found.account}\n${found.name}`, found)
  }
  return [...all.values(), ...(await readWebhookConsumers(store, version, []))]
}

function pick(
  all: readonly KnownConsumer[],
  wanted: string,
  account: string | undefined,
  soleAccount: string | null,
): KnownConsumer {
  const inAccount = all.filter((one) => account === undefined || one.account === account)
  const named = inAccount.filter(({ name }) => name === wanted)
  // A key and a token's client may have the same name. The key wins.
  const found = named.length > 0 ? named : inAccount.filter(({ name }) => name === `token:${wanted}`)
  const [first, second] = found
  if (!first) {
    // A key named "anonymous" was found above.
    if (wanted === anonymous) {
      throw new CommandMistake('Anonymous callers cannot be told: wait until they are gone, or require keys.')
    }
    const where = account === undefined || account === soleAccount ? '' : ` of ${account}`
    const names = new Set(inAccount.map(({ name }) => name))
    throw new CommandMistake(`There is no consumer "${wanted}"${where}. ${didYouMean(wanted, names)}`)
  }
  if (second) {
    const accounts = found.map((one) => one.account).join(', ')
    throw new CommandMistake(
      `"${wanted}" is a consumer of several accounts (${accounts}). Say which: ${shellOption('account', first.account)}`,
    )
  }
  return first
}
