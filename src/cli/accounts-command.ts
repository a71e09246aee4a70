import { createInterface } from 'node:readline/promises'
import { type DeletedAccount, deleteAccount } from '../accounts/delete-account.ts'
import { exportAccount } from '../accounts/export-account.ts'
import { type AccountFigures, listAccounts, sizeOfRows } from '../accounts/list-accounts.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { counted } from '../compile/names/plural.ts'
import { awaitRecorders } from '../lifecycle/await-recorders.ts'
import { demandFit } from '../transfer/demand-fit.ts'
import { recordAct } from '../write/recorded-acts.ts'
import { accountOf } from './account-flag.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { namedAction } from './named-action.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { OutputClosed, openOutput } from './output.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'

export const options = {
  account: { type: 'string', value: 'ACCOUNT', does: 'export, delete: which one' },
  yes: {
    type: 'string',
    value: 'NAME',
    does: 'delete: the name of the account once more, in place of typing it',
  },
  json: jsonOption,
} as const

type Flags = Given<typeof options>['flags']
type Action = (opened: CommandStore, flags: Flags) => Promise<number>

const actions: { readonly [name: string]: Action } = { list, export: exportOne, delete: deleteOne }

/** `nounkit accounts list|export|delete [API]`: what a store has of which account. */
export async function accountsCommand({ flags, words: given }: Given<typeof options>): Promise<number> {
  const [name = '', ...words] = given
  const [place] = positionalsUpTo(words, 1)
  const action = namedAction(actions, 'accounts', name, 'list')
  return withStore(place, async (opened) => {
    await demandFit(opened.store, opened.model)
    return action(opened, flags)
  })
}

async function list({ store, model }: CommandStore, { json }: Flags): Promise<number> {
  const accounts = await listAccounts(store, model)
  if (json) console.log(JSON.stringify(accounts, null, 2))
  else if (accounts.length === 0) console.log('The store has nothing of any account.')
  else for (const figures of accounts) console.log(lineOf(figures))
  return 0
}

const lineOf = ({ account, rows, bytes, lastUsed, isBeingDeleted }: AccountFigures): string =>
  [
    account.padEnd(24),
    counted(rows, 'row').padStart(14),
    sizeOfRows(bytes).padStart(12),
    lastUsed === null ? 'not used' : `used ${new Date(lastUsed).toISOString().slice(0, 10)}`,
    ...(isBeingDeleted ? ['is being deleted'] : []),
  ].join('  ')

const named = async ({ store, model }: CommandStore, { account: flag }: Flags): Promise<string> => {
  const account = accountOf(model, flag)
  if (!account) throw new UsageMistake('Which account? Name it: --account acme')
  const accounts = (await listAccounts(store, model)).map((one) => one.account)
  if (accounts.includes(account)) return account
  throw new CommandMistake(
    `The store has nothing of the account ${account}. ${didYouMean(account, new Set(accounts))}`,
  )
}

async function exportOne(opened: CommandStore, flags: Flags): Promise<number> {
  const { store, clock } = opened
  const account = await named(opened, flags)
  const write = openOutput(process.stdout)
  let rows: number
  try {
    rows = await exportAccount(opened, account, write)
  } catch (error) {
    if (error instanceof OutputClosed) return 1
    throw error
  }
  const act = { act: 'account-exported', account, operator: operatorOfCommand(), detail: { rows } } as const
  await recordAct(store, clock.now(), act)
  if (process.stderr.isTTY) console.error(`Exported ${counted(rows, 'row')} of ${account}.`)
  return 0
}

async function deleteOne(opened: CommandStore, flags: Flags): Promise<number> {
  const { store, model, clock } = opened
  const account = await named(opened, flags)
  if ((await typedName(account, flags)) !== account)
    throw new CommandMistake(`Nothing was deleted. To delete the account, write its name: --yes ${account}`)
  const progress = openProgress()
  try {
    const deleted = await deleteAccount(
      {
        store,
        model,
        clock,
        operator: operatorOfCommand(),
        refusedEverywhere: () => awaitRecorders(store, clock),
        progress: (table, rows) => progress.show(`Deleting ${table}, ${counted(rows, 'row')} so far`),
      },
      account,
    )
    progress.end()
    if (flags.json) console.log(JSON.stringify({ account, ...deleted }, null, 2))
    else console.log(sentenceOf(account, deleted))
    return 0
  } finally {
    progress.end()
  }
}

async function typedName(account: string, { yes }: Flags): Promise<string | undefined> {
  if (yes !== undefined || !process.stdin.isTTY || !process.stdout.isTTY) return yes
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(
      `This deletes all rows, keys, events and endpoints of ${account}, for ever. Type its name: `,
    )
  } finally {
    terminal.close()
  }
}

function sentenceOf(account: string, { rows, kept }: DeletedAccount): string {
  const all = (of: { readonly [name: string]: number }) =>
    Object.values(of).reduce((sum, one) => sum + one, 0)
  const stays = Object.entries(kept).filter(([, count]) => count > 0)
  const left = stays.map(([name, count]) => `${counted(count, 'row')} of ${name}`).join(', ')
  return `${account} is deleted: ${counted(all(rows), 'row')}, those of the engine included.${left === '' ? '' : ` What is declared to stay is there: ${left}.`}`
}
