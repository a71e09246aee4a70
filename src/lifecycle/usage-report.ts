import { kindOf } from '../compile/change-kinds/change-kinds.ts'
import type { Model, Version } from '../compile/model.ts'
import type { GuideOptions } from '../contract/guide/guide.ts'
import type { Store } from '../store/store.ts'
import { dayMs, daysBetween } from '../times.ts'
import { type Consumers, type KnownConsumer, readConsumers } from './consumers.ts'
import { type Contact, lastContacts, readContacts } from './contacts.ts'
import type { Traffic } from './decide.ts'
import { byConsumer, isAnonymous, sumOf } from './facts.ts'
import { type Gap, readGaps } from './recorder-rows.ts'
import { type Decision, decisionInForce, readDecisions } from './retirement-decisions.ts'
import { readSignals, type SentSignal } from './sent-signals.ts'
import { refused } from './stand-in-consumers.ts'
import { type Status, statusOf } from './status.ts'
import {
  type CountedDetail,
  type CountedOperation,
  readDays,
  readDetails,
  readOperations,
  type Span,
} from './usage-rows.ts'
import { readWebhookConsumers, type WebhookConsumer } from './webhook-consumers.ts'

/** Who calls which version, how much, and what of it they still use. */
export interface UsageReport {
  /** `2026-06-01`, oldest first, today last. */
  readonly days: readonly string[]
  /** Newest first. */
  readonly versions: readonly VersionUsage[]
  readonly gaps: readonly Gap[]
}

export interface VersionUsage {
  readonly version: string
  readonly status: Status
  readonly deprecated: string | null
  readonly sunset: string | null
  /** The decision in force. Its evidence covers all accounts and is not part of the report. */
  readonly retired: Pick<Decision, 'decidedAt' | 'decidedBy'> | null
  readonly signalFirstSentAt: number | null
  /** Calls that were served, for each of `days`. */
  readonly calls: readonly number[]
  /** Most calls first. */
  readonly consumers: readonly ConsumerUsage[]
  /** Active endpoints that are sent events of the version. */
  readonly webhooks: readonly WebhookConsumer[]
  readonly anonymous: Traffic | null
  /** Calls without valid credentials, and attempts after the retirement. */
  readonly refused: Traffic | null
}

export interface ConsumerUsage extends KnownConsumer, Traffic {
  readonly operations: readonly { readonly operation: string; readonly calls: number }[]
  readonly stillUses: readonly ChangeUse[]
  readonly contacted: Contact | null
}

/** A consumer uses what a change removed. */
export interface ChangeUse {
  /** The number of the change's entry in the migration guide. */
  readonly entry: number
  /** `clients.fax is gone`, in Markdown. */
  readonly change: string
  /** `sends fax`, `filters by fax` … */
  readonly uses: readonly string[]
}

export interface ReportOptions {
  /** Only this account; null for all. */
  readonly account?: string | null
  readonly days?: number
}

/** Usage of the last 90 days, for the command line and the page. */
export async function usageReport(
  store: Store,
  model: Model,
  now: number,
  { account = null, days: length = 90 }: ReportOptions = {},
): Promise<UsageReport> {
  const days = daysBetween(now - (length - 1) * dayMs, now)
  const since = Date.parse(`${days[0]}T00:00:00Z`)
  const data = await readAll(store, model, { since, account })
  return {
    days,
    versions: model.versions.map((version) => usageOf(version, model, now, days, data)),
    gaps: await readGaps(store, since),
  }
}

interface ReportData {
  readonly operations: readonly CountedOperation[]
  readonly details: readonly CountedDetail[]
  readonly days: Awaited<ReturnType<typeof readDays>>
  readonly consumers: Consumers
  readonly contacts: readonly Contact[]
  /** By version. */
  readonly webhooks: ReadonlyMap<string, readonly WebhookConsumer[]>
  readonly signals: ReadonlyMap<string, SentSignal>
  readonly decisions: readonly Decision[]
}

const readAll = async (store: Store, model: Model, span: Span): Promise<ReportData> => {
  const contacts = await readContacts(store)
  return {
    operations: await readOperations(store, span),
    details: await readDetails(store, span),
    days: await readDays(store, span),
    consumers: await readConsumers(store),
    contacts,
    webhooks: await readWebhooks(store, model, contacts, span),
    signals: await readSignals(store),
    decisions: await readDecisions(store),
  }
}

async function readWebhooks(
  store: Store,
  { versions }: Model,
  contacts: readonly Contact[],
  { account }: Span,
): Promise<ReportData['webhooks']> {
  const found = new Map<string, readonly WebhookConsumer[]>()
  for (const version of versions) {
    const all = await readWebhookConsumers(store, version, contacts)
    const own = all.filter((one) => account === null || one.account === account)
    found.set(version.name, own)
  }
  return found
}

function usageOf(
  version: Version,
  model: Model,
  now: number,
  days: readonly string[],
  data: ReportData,
): VersionUsage {
  const { name } = version
  const isRetired = (one: Version): boolean => retirementOf(one.name, data.decisions) !== null
  const operations = data.operations.filter((one) => one.version === name)
  const served = operations.filter((one) => one.consumer !== refused)
  const byDay = new Map(data.days.filter((one) => one.version === name).map(({ day, calls }) => [day, calls]))
  return {
    version: name,
    status: statusOf(version, model, now, isRetired),
    deprecated: version.deprecated?.date ?? null,
    sunset: version.sunset?.date ?? null,
    retired: retirementOf(name, data.decisions),
    signalFirstSentAt: data.signals.get(name)?.firstSentAt ?? null,
    calls: days.map((day) => byDay.get(day) ?? 0),
    consumers: consumersOf(version, served, data),
    webhooks: data.webhooks.get(name) ?? [],
    anonymous: sumOf(served.filter(isAnonymous)),
    refused: sumOf(operations.filter((one) => one.consumer === refused)),
  }
}

function retirementOf(name: string, decisions: readonly Decision[]): VersionUsage['retired'] {
  const decision = decisionInForce(decisions, name)
  return decision ? { decidedAt: decision.decidedAt, decidedBy: decision.decidedBy } : null
}

function consumersOf(
  version: Version,
  served: readonly CountedOperation[],
  { consumers, contacts, details }: ReportData,
): readonly ConsumerUsage[] {
  const contacted = lastContacts(contacts, version.name)
  const known = served.filter((one) => !isAnonymous(one))
  return byConsumer(known, consumers).map(({ consumer, calls, lastSeen }) => {
    const isOf = (one: CountedOperation | CountedDetail) =>
      one.account === consumer.account && consumers.find(one.account, one.consumer).name === consumer.name
    const own = known.filter(isOf)
    const shown = details.filter((one) => one.version === version.name && isOf(one))
    return {
      ...consumer,
      calls,
      lastSeen,
      operations: operationsOf(own),
      stillUses: changeUses(version, own, shown),
      contacted: contacted(consumer.account, consumer.name),
    }
  })
}

function operationsOf(counted: readonly CountedOperation[]): ConsumerUsage['operations'] {
  const calls = new Map<string, number>()
  for (const one of counted) calls.set(one.operation, (calls.get(one.operation) ?? 0) + one.calls)
  return [...calls].map(([operation, sum]) => ({ operation, calls: sum })).sort((a, b) => b.calls - a.calls)
}

/** In the order in which the changes are declared. Changes of which no call shows a use are left out. */
function changeUses(
  version: Version,
  operations: readonly CountedOperation[],
  details: readonly CountedDetail[],
): readonly ChangeUse[] {
  const { successor } = version
  if (!successor) return []
  const step = { older: version, newer: successor }
  return version.changes.flatMap((change, index): ChangeUse[] => {
    const kind = kindOf(change)
    const traces = kind.usage(change, step)
    const uses = [
      ...operations.map(({ operation }) => {
        const [method = '', template = ''] = operation.split(' ')
        return traces.operation?.(method, template) ?? null
      }),
      ...details.map((one) => traces.detail?.(one.resource, one.kind, one.name) ?? null),
    ].filter((words) => words !== null)
    if (uses.length === 0) return []
    const { title } = kind.guideEntry(change, step)
    return [{ entry: index + 1, change: title, uses: [...new Set(uses)] }]
  })
}

/** The consumers that, by the report, still use what a change removed. For operators only, because it names consumers. */
export const affectedIn =
  (report: UsageReport): NonNullable<GuideOptions['affected']> =>
  (change, version) => {
    const entry = version.changes.indexOf(change) + 1
    const consumers = report.versions.find((one) => one.version === version.name)?.consumers ?? []
    const using = consumers.filter(({ stillUses }) => stillUses.some((use) => use.entry === entry))
    return using.map(({ name, account }) => `${name} of ${account}`)
  }
