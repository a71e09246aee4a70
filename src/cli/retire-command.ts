import type { Version } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { type RetireOutcome, retireVersion } from '../lifecycle/retire-version.ts'
import { withdrawDecision } from '../lifecycle/retirement-decisions.ts'
import { dayMs, readDuration } from '../times.ts'
import { paint } from './colour.ts'
import { type Given, jsonOption } from './command.ts'
import { UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { namedVersion } from './named-version.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { apiAnd } from './positionals.ts'

export const options = {
  'dry-run': { type: 'boolean', does: 'prints the decision, and stores nothing' },
  window: {
    type: 'string',
    value: 'TIME',
    does: 'how far back calls and gaps are considered; 30d by default',
  },
  undo: { type: 'boolean', does: 'takes the decision back' },
  note: { type: 'string', value: 'TEXT', does: 'with --undo, why' },
  by: { type: 'string', value: 'NAME', does: 'who decides; the user who runs the command by default' },
  json: jsonOption,
} as const

type Flags = Given<typeof options>['flags']

/** `nounkit retire [API] VERSION`: retires a version, or prints every blocker and exits with 1. */
export async function retireCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place, name] = apiAnd(words, 1)
  if (flags.undo && flags['dry-run']) {
    throw new UsageMistake('--undo and --dry-run cannot be combined: an undo has no conditions to check.')
  }
  const windowMs = readWindow(flags.window)
  return withStore(place, async (opened) => {
    const version = namedVersion(opened.model, name)
    return flags.undo ? undo(opened, version, flags) : retire(opened, version, flags, windowMs)
  })
}

async function retire(
  { store, clock }: CommandStore,
  version: Version,
  flags: Flags,
  windowMs: number,
): Promise<number> {
  const dryRun = flags['dry-run'] ?? false
  const outcome = await retireVersion(store, version, {
    clock,
    windowMs,
    by: operatorOfCommand(flags.by),
    dryRun,
    waiting: (processes) =>
      console.error(
        `Waiting for ${counted(processes, 'process')} to write what ${processes === 1 ? 'it has' : 'they have'} counted …`,
      ),
  })
  if (flags.json) console.log(JSON.stringify({ version: version.name, dryRun, ...outcome }, null, 2))
  else console.log(textOf(version.name, outcome))
  return outcome.retired || (dryRun && outcome.allowed) ? 0 : 1
}

function textOf(name: string, { before, allowed, retired, blockers, facts }: RetireOutcome): string {
  if (before) {
    const by = before.decidedBy ? ` by ${before.decidedBy}` : ''
    return `${name} has been retired since ${new Date(before.decidedAt).toISOString()}${by}. nounkit retire ${name} --undo takes it back.`
  }
  if (!allowed) {
    const lines = blockers.map(
      ({ kind, what, lift }) => `  ${paint('red', '✗')} ${kind}: ${what}\n      → ${lift}`,
    )
    const count = `${counted(blockers.length, 'thing')} ${blockers.length === 1 ? 'stands' : 'stand'}`
    return `${name} cannot be retired: ${count} in the way.\n${lines.join('\n')}`
  }
  const contacted = facts.traffic.filter((one) => one.contacted).map(({ consumer }) => consumer.name)
  const left =
    contacted.length > 0
      ? `Still calling, but told: ${contacted.join(', ')}.`
      : 'Nobody outside calls it any more.'
  return retired
    ? `${name} is retired. ${left} Running processes answer 410 within a few seconds.`
    : `${name} can be retired. ${left} Nothing was stored (--dry-run).`
}

async function undo({ store, clock }: CommandStore, version: Version, flags: Flags): Promise<number> {
  const deed = { version: version.name, at: clock.now(), by: operatorOfCommand(flags.by) }
  const withdrawn = await withdrawDecision(store, deed, flags.note ?? null)
  if (flags.json) console.log(JSON.stringify({ version: version.name, withdrawn }, null, 2))
  else if (withdrawn)
    console.log(
      `${version.name} is served again within a few seconds. The decision stays on record, withdrawn.`,
    )
  if (!withdrawn) console.error(`${version.name} is not retired, so there is nothing to take back.`)
  return withdrawn ? 0 : 1
}

const defaultWindow = '30d'
/** Usage is kept for 400 days. */
const maxWindow = 400 * dayMs

function readWindow(text = defaultWindow): number {
  const milliseconds = readDuration(text)
  if (milliseconds !== null && milliseconds > 0 && milliseconds <= maxWindow) return milliseconds
  throw new UsageMistake(
    `--window is "${text}". Write how far to look back, such as 30d; usage is kept for 400 days.`,
  )
}
