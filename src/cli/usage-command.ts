import { counted } from '../compile/names/plural.ts'
import type { Traffic } from '../lifecycle/decide.ts'
import {
  type ConsumerUsage,
  type UsageReport,
  usageReport,
  type VersionUsage,
} from '../lifecycle/usage-report.ts'
import type { WebhookConsumer } from '../lifecycle/webhook-consumers.ts'
import { dayOf, minuteInUtc } from '../times.ts'
import { aligned } from './aligned.ts'
import { paint } from './colour.ts'
import { type Given, jsonOption } from './command.ts'
import { withStore } from './command-store.ts'
import { namedVersion } from './named-version.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  version: { type: 'string', value: 'VERSION', does: 'only this version' },
  json: jsonOption,
} as const

/** `nounkit usage [API]`: prints who calls which version, how often, and which changed parts they use. */
export async function usageCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  return withStore(place, async ({ model, store, clock }) => {
    const only = flags.version === undefined ? null : namedVersion(model, flags.version).name
    const report = await usageReport(store, model, clock.now())
    const versions = report.versions.filter(({ version }) => only === null || version === only)
    const shown = { ...report, versions }
    console.log(flags.json ? JSON.stringify(shown, null, 2) : textOf(shown, model.soleAccount === null))
    return 0
  })
}

const textOf = ({ days, versions, gaps }: UsageReport, showsAccounts: boolean): string => {
  const parts = versions.map((version) => versionText(version, days, showsAccounts))
  if (gaps.length > 0) {
    const times = gaps.map(({ from, until }) => `  ${minuteInUtc(from)} to ${minuteInUtc(until)}`)
    parts.push(
      `Not recorded, because a process ended before it had written what it had counted:\n${times.join('\n')}`,
    )
  }
  return parts.join('\n\n')
}

function versionText(usage: VersionUsage, days: readonly string[], showsAccounts: boolean): string {
  const { version, calls, consumers, anonymous, refused } = usage
  const total = calls.reduce((sum, one) => sum + one, 0)
  const lines = [`${version}  ${lifeOf(usage)}`]
  if (total === 0) lines.push(`  no calls since ${days[0]}`)
  else
    lines.push(
      `  ${bars(calls)}  ${counted(total, 'call')} since ${days[0]}, at most ${number(Math.max(...calls))} a day`,
    )
  lines.push(...table(consumers, showsAccounts))
  lines.push(...usage.webhooks.map((webhook) => webhookText(webhook, showsAccounts)))
  if (anonymous) lines.push(`  without credentials: ${traffic(anonymous)}`)
  if (refused)
    lines.push(`  refused, because credentials were missing or the version is retired: ${traffic(refused)}`)
  return lines.join('\n')
}

function lifeOf({ status, deprecated, sunset, retired }: VersionUsage): string {
  if (retired) return `retired on ${minuteInUtc(retired.decidedAt)}`
  const dates = [deprecated && `deprecated ${deprecated}`, sunset && `sunset ${sunset}`].filter((day) => day)
  const datesSayIt = status === 'deprecated' || status === 'sunset'
  return [...(datesSayIt ? [] : [status]), ...dates].join(', ')
}

const levels = '▁▂▃▄▅▆▇█'
const columns = 45

/** A bar for every two days, blank where there were no calls. */
function bars(calls: readonly number[]): string {
  const width = Math.ceil(calls.length / columns)
  const sums: number[] = []
  for (let at = 0; at < calls.length; at += width) {
    sums.push(calls.slice(at, at + width).reduce((sum, one) => sum + one, 0))
  }
  const most = Math.max(...sums)
  return sums.map((sum) => (sum === 0 ? ' ' : levels[Math.ceil((sum / most) * levels.length) - 1])).join('')
}

const accountColumn = 1
const heading = ['CONSUMER', 'ACCOUNT', 'KIND', 'CALLS', 'LAST SEEN', 'TOLD', 'CONTACT']

function table(consumers: readonly ConsumerUsage[], showsAccounts: boolean): readonly string[] {
  if (consumers.length === 0) return []
  const all = [heading, ...consumers.map(cells)]
  const rows = showsAccounts ? all : all.map((row) => row.toSpliced(accountColumn, 1))
  return aligned(rows).flatMap((line, index) => {
    const uses = consumers[index - 1]?.stillUses ?? []
    const still = uses.map(({ change, uses: seen }) => `    still ${seen.join(', ')}  (${change})`)
    return [`  ${index === 0 ? paint('bold', line) : line}`, ...still]
  })
}

const cells = ({ name, account, kind, calls, lastSeen, contacted, contact }: ConsumerUsage): string[] => [
  name,
  account,
  kind,
  number(calls),
  minuteInUtc(lastSeen),
  contacted ? dayOf(contacted.at) : 'no',
  contact ?? '',
]

const webhookText = (
  { name, account, url, since, contacted }: WebhookConsumer,
  showsAccounts: boolean,
): string =>
  `  ${name}${showsAccounts ? ` of ${account}` : ''} is sent events to ${url} since ${minuteInUtc(since)}, ${contacted ? `told on ${minuteInUtc(contacted.at)}` : 'not told'}`

const traffic = ({ calls, lastSeen }: Traffic): string =>
  `${counted(calls, 'call')}, the last on ${minuteInUtc(lastSeen)}`
const number = (value: number): string => value.toLocaleString('en')
