import type { Version } from '../compile/model.ts'
import type { Store } from '../store/store.ts'
import { type Consumers, readConsumers } from './consumers.ts'
import { lastContacts, readContacts } from './contacts.ts'
import type { ConsumerTraffic, RetirementFacts, Traffic } from './decide.ts'
import { readGaps } from './recorder-rows.ts'
import { servedSuccessor } from './retirement.ts'
import { readRetired } from './retirement-decisions.ts'
import { readSignals } from './sent-signals.ts'
import { anonymous, refused } from './stand-in-consumers.ts'
import { type CountedConsumer, readOperations } from './usage-rows.ts'
import { readWebhookConsumers } from './webhook-consumers.ts'

export interface FactOptions {
  readonly now: number
  readonly windowMs: number
}

/** Collects the facts for a retirement from the declaration and the store. */
export async function collectFacts(
  store: Store,
  version: Version,
  { now, windowMs }: FactOptions,
): Promise<RetirementFacts> {
  const since = now - windowMs
  const retired = await readRetired(store)
  const successor = servedSuccessor(version, ({ name }) => retired.has(name))
  const all = await readOperations(store, { since, account: null })
  const counted = all.filter((one) => one.version === version.name && one.consumer !== refused)
  const contacts = await readContacts(store)
  const contacted = lastContacts(contacts, version.name)
  const signal = (await readSignals(store)).get(version.name)
  return {
    now,
    version: version.name,
    deprecated: version.deprecated?.date ?? null,
    sunset: version.sunset?.date ?? null,
    successor: successor && { name: successor.name, published: successor.published?.date ?? null },
    guide: guidePath(version, successor),
    announcedSunset: signal?.sunset ?? null,
    signalFirstSentAt: signal?.firstSentAt ?? null,
    windowMs,
    traffic: byConsumer(
      counted.filter((one) => !isAnonymous(one)),
      await readConsumers(store),
    ).map((one) => ({ ...one, contacted: contacted(one.consumer.account, one.consumer.name) })),
    webhooks: await readWebhookConsumers(store, version, contacts),
    anonymous: sumOf(counted.filter(isAnonymous)),
    gaps: await readGaps(store, since),
  }
}

/** A guide is served to every newer version, even when that only added things and the guide lists no changes. */
export const guidePath = (version: Version, successor: Version | null): string | null =>
  successor && `/docs/migrations/${version.name}-to-${successor.name}`

export const isAnonymous = ({ consumer }: CountedConsumer): boolean => consumer === anonymous

export function sumOf(counted: readonly Traffic[]): Traffic | null {
  if (counted.length === 0) return null
  return {
    calls: counted.reduce((sum, { calls }) => sum + calls, 0),
    lastSeen: Math.max(...counted.map(({ lastSeen }) => lastSeen)),
  }
}

/** Traffic by consumer, most calls first. A consumer is external if one of its keys is. */
export function byConsumer(
  counted: readonly CountedConsumer[],
  consumers: Consumers,
): readonly Omit<ConsumerTraffic, 'contacted'>[] {
  const found = new Map<string, Omit<ConsumerTraffic, 'contacted'>>()
  for (const { account, consumer: id, calls, lastSeen } of counted) {
    const consumer = consumers.find(account, id)
    const key = `${account}\n${consumer.name}`
    const known = found.get(key)
    found.set(key, {
      consumer: known?.consumer.kind === 'external' ? known.consumer : consumer,
      calls: calls + (known?.calls ?? 0),
      lastSeen: Math.max(lastSeen, known?.lastSeen ?? 0),
    })
  }
  return [...found.values()].sort((a, b) => b.calls - a.calls)
}
