import { isDead } from '../../lifecycle/process-id.ts'
import { demandNobodyServes } from '../../lifecycle/serving.ts'
import { openStore } from '../../store/open.ts'
import { migrate } from '../../store/schema/migrate-store.ts'
import { MigrationRefused, mayBeTaken } from '../../store/schema/migration.ts'
import { StoreRefused } from '../../store/store.ts'
import { databaseUrl } from '../command-store.ts'
import type { FollowParts } from './follow-declaration.ts'

/**
 * Once a version is published, a store is renamed and converted as its change lists say, when a person asks for it with
 * `nounkit migrate --rename`. Where a store was refused for want of that alone, the person is asked here, and else told the command. Says
 * what was done, a sentence each. Throws any other refusal again.
 */
export async function renamePublished(refused: unknown, parts: FollowParts): Promise<readonly string[]> {
  if (!(refused instanceof MigrationRefused)) throw refused
  const { steps } = refused
  if (!steps.every((step) => mayBeTaken(step, { rename: true }))) throw refused
  // The step that ends other processes concerns a table of the engine's own.
  const whys = steps
    .filter(({ rename, table }) => rename && !table.startsWith('nounkit_'))
    .map(({ why }) => why)
  const command = `nounkit migrate${parts.place === '.' ? '' : ` ${parts.place}`} --rename`
  await agree(whys, command, parts)
  const { api, model, clock, ask } = parts
  const store = await openStore(databaseUrl(api.declaration))
  try {
    // The generation that serves the older declaration stops first.
    await ask(null)
    const nobody = await demandNobodyServes(store, clock, { isDead })
    await migrate(store, model, { rename: true, beforeRenames: nobody.again })
  } finally {
    await store.close()
  }
  return whys
}

/** Throws unless the person wants it. */
async function agree(whys: readonly string[], command: string, { open, ask }: FollowParts): Promise<void> {
  const text = [
    'The store still has names, values or types of an older version:',
    ...whys.map((why) => `- ${why}`),
  ].join('\n')
  const question = `${text}\nChange it now, as ${command} does? All rows are kept.`
  const choices = [
    { value: 'yes', says: 'yes, change it' },
    { value: 'no', says: 'no, leave it as it is' },
  ]
  if (open.asks && (await ask({ kind: 'rename', text: question, choices })) === 'yes') return
  throw new StoreRefused(
    `${text}\nNothing was changed. Stop nounkit dev, run ${command}, which keeps all rows, and start it again.`,
  )
}
