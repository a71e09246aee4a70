import { counted } from '../compile/names/plural.ts'
import { overlapMonths, overlapOf } from '../compile/versions/dates.ts'
import { dayMs, dayOf, minuteInUtc } from '../times.ts'
import type { KnownConsumer } from './consumers.ts'
import type { Contact } from './contacts.ts'
import type { Gap } from './recorder-rows.ts'
import { shellOption } from './shell-option.ts'
import type { WebhookConsumer } from './webhook-consumers.ts'

/** The facts that decide whether a version may be retired. */
export interface RetirementFacts {
  readonly now: number
  readonly version: string
  /** Days: `2026-06-01`. */
  readonly deprecated: string | null
  readonly sunset: string | null
  /** The latest sunset that responses carried. */
  readonly announcedSunset: string | null
  /** The nearest newer version that is served. */
  readonly successor: { readonly name: string; readonly published: string | null } | null
  /** Where consumers read how to move. */
  readonly guide: string | null
  /** When a response with a Deprecation header was sent for the first time. */
  readonly signalFirstSentAt: number | null
  /** How far back traffic and gaps count. */
  readonly windowMs: number
  /** Consumers that called within the window. */
  readonly traffic: readonly ConsumerTraffic[]
  /** Active endpoints that are sent events of the version. */
  readonly webhooks: readonly WebhookConsumer[]
  readonly anonymous: Traffic | null
  /** Gaps that reach into the window. */
  readonly gaps: readonly Gap[]
}

export interface Traffic {
  readonly calls: number
  readonly lastSeen: number
}

export interface ConsumerTraffic extends Traffic {
  readonly consumer: KnownConsumer
  /** The last time it was informed of this version's end. */
  readonly contacted: Contact | null
}

export type BlockerKind =
  | 'no-successor'
  | 'no-guide'
  | 'overlap-too-short'
  | 'sunset-not-reached'
  | 'signal-never-sent'
  | 'traffic'
  | 'webhook'
  | 'anonymous-traffic'
  | 'recording-gap'

export interface RetirementBlocker {
  readonly kind: BlockerKind
  readonly what: string
  /** What removes the blocker. */
  readonly lift: string
  /** For traffic: whose. */
  readonly consumer?: KnownConsumer
}

export interface RetirementCheck {
  readonly allowed: boolean
  readonly blockers: readonly RetirementBlocker[]
}

/** Whether a version may be retired, with every blocker. It depends on the facts alone. */
export function decideRetirement(facts: RetirementFacts): RetirementCheck {
  const blockers = [
    ...successor(facts),
    ...guide(facts),
    ...overlap(facts),
    ...sunset(facts),
    ...signal(facts),
    ...traffic(facts),
    ...webhooks(facts),
    ...anonymousTraffic(facts),
    ...gaps(facts),
  ]
  return { allowed: blockers.length === 0, blockers }
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

function successor({ version, successor: newer, now }: RetirementFacts): readonly RetirementBlocker[] {
  const kind = 'no-successor'
  if (!newer) {
    const lift = 'Declare and publish a newer version, so that its consumers have somewhere to go.'
    return [{ kind, what: `No newer version than ${version} is served.`, lift }]
  }
  if (newer.published !== null && startOf(newer.published) <= now) return []
  const when =
    newer.published === null ? 'has no day of publication' : `is not published before ${newer.published}`
  const lift =
    newer.published === null
      ? `Publish ${newer.name}, and write its day into the declaration: published: '…'.`
      : `Wait until ${newer.published}.`
  return [{ kind, what: `The successor ${newer.name} ${when}.`, lift }]
}

function guide({ version, guide: url }: RetirementFacts): readonly RetirementBlocker[] {
  if (url !== null) return []
  return [
    {
      kind: 'no-guide',
      what: `There is no guide that leads from ${version} to a newer version.`,
      lift: 'Declare a newer version and serve it: the guide to it is made from the declaration.',
    },
  ]
}

/** Six calendar months in which both versions were served and the deprecation was announced. */
function overlap({
  version,
  deprecated,
  successor: newer,
  now,
}: RetirementFacts): readonly RetirementBlocker[] {
  const kind = 'overlap-too-short'
  if (deprecated === null) {
    const lift = `Write deprecated: '${dayOf(now)}' and a sunset at least ${overlapMonths} calendar months later into its declaration.`
    return [{ kind, what: `The deprecation of ${version} was never announced.`, lift }]
  }
  const { announced, earliest } = overlapOf(deprecated, newer?.published)
  if (earliest !== null && now >= startOf(earliest)) return []
  const was = (day: string): string => (startOf(day) <= now ? 'was' : 'will be')
  const also =
    announced === deprecated ? '' : `, and its successor ${was(announced)} published on ${announced}`
  const since =
    startOf(announced) <= now
      ? `less than ${overlapMonths} calendar months ago`
      : `the ${overlapMonths} calendar months of overlap begin on that day`
  return [
    {
      kind,
      what: `${version} ${was(deprecated)} deprecated on ${deprecated}${also}: ${since}.`,
      lift: `Wait until ${earliest}.`,
    },
  ]
}

function sunset({
  version,
  sunset: day,
  announcedSunset: told,
  now,
}: RetirementFacts): readonly RetirementBlocker[] {
  const kind = 'sunset-not-reached'
  if (day === null) {
    const lift = `Write sunset: '${told ?? '…'}' into its declaration, and wait for that day to pass.`
    const since = told === null ? '' : ` any more, though its callers were told ${told}`
    return [{ kind, what: `${version} has no sunset${since}.`, lift }]
  }
  const promised = told !== null && told > day ? told : day
  // The sunset day is promised to its last second.
  const end = startOf(promised) + dayMs
  if (now >= end) return []
  const why = promised === day ? '' : `: its callers were told so, though its declaration says ${day}`
  const what = `${version} is promised until the end of ${promised}${why}.`
  return [{ kind, what, lift: `Wait until ${dayOf(end)}.` }]
}

function signal({ version, signalFirstSentAt }: RetirementFacts): readonly RetirementBlocker[] {
  if (signalFirstSentAt !== null) return []
  return [
    {
      kind: 'signal-never-sent',
      what: `No response of ${version} has carried a Deprecation header yet.`,
      lift: `Serve it with its deprecation declared; one call, such as GET /${version}, is enough.`,
    },
  ]
}

function traffic({ version, traffic: all }: RetirementFacts): readonly RetirementBlocker[] {
  const left = all.filter(({ consumer, contacted }) => consumer.kind === 'external' && contacted === null)
  return left.map(({ consumer, calls, lastSeen }) => ({
    kind: 'traffic',
    what: `${consumer.name} of ${consumer.account} made ${counted(calls, 'call')}, the last on ${minuteInUtc(lastSeen)}, and was not told.`,
    lift: `Tell it${consumer.contact ? ` (${consumer.contact})` : ''}, and record that: nounkit contact ${version} ${shellOption('account', consumer.account)} ${shellOption('consumer', consumer.name)} --note "…". Or wait until it has been silent for the whole window.`,
    consumer,
  }))
}

function webhooks({ version, webhooks: all }: RetirementFacts): readonly RetirementBlocker[] {
  const left = all.filter(({ contacted }) => contacted === null)
  return left.map(({ url, since, contacted: _, ...consumer }) => ({
    kind: 'webhook',
    what: `${consumer.name} of ${consumer.account} is sent events of ${version} (to ${url}, since ${minuteInUtc(since)}), and was not told.`,
    lift: `Tell its owner, and record that: nounkit contact ${version} ${shellOption('account', consumer.account)} ${shellOption('consumer', consumer.name)} --note "…". Or wait until it is deleted or no longer active.`,
    consumer,
  }))
}

function anonymousTraffic({ anonymous }: RetirementFacts): readonly RetirementBlocker[] {
  if (!anonymous) return []
  return [
    {
      kind: 'anonymous-traffic',
      what: `${counted(anonymous.calls, 'call')} came without credentials, the last on ${minuteInUtc(anonymous.lastSeen)}: nobody knows whom to tell.`,
      lift: 'Wait until there is none in the whole window, or require credentials.',
    },
  ]
}

function gaps({ gaps: all, windowMs }: RetirementFacts): readonly RetirementBlocker[] {
  const [first] = all
  const last = all.at(-1)
  if (!first || !last) return []
  const also = all.length > 1 ? `, and ${counted(all.length - 1, 'time')} more since` : ''
  return [
    {
      kind: 'recording-gap',
      what: `A process ended without writing down what it had counted, on ${minuteInUtc(first.from)}${also}. Unknown is not zero.`,
      lift: `Wait until ${minuteInUtc(last.until + windowMs)}, when the window no longer reaches back to it.`,
    },
  ]
}
