import { sweepAudit } from '../audit/sweep-audit.ts'
import type { Clock } from '../clock.ts'
import { auditKeepDays } from '../compile/resources/audited-resources.ts'
import type { EventLog } from '../events/event-log.ts'
import { sweepEvents } from '../events/sweep-events.ts'
import { sweepJobs } from '../jobs/sweep-jobs.ts'
import { completeRequired } from '../lifecycle/complete-required.ts'
import { completeSums } from '../lifecycle/complete-sums.ts'
import { recordRefusedCascades } from '../lifecycle/record-refused-cascades.ts'
import { markSilent } from '../lifecycle/recorder-rows.ts'
import { sweepUsage } from '../lifecycle/sweep-usage.ts'
import { hourMs, minuteMs } from '../times.ts'
import { EndpointMarks } from '../webhooks/endpoint-marks.ts'
import { sweepDeliveries } from '../webhooks/sweep-deliveries.ts'
import { sweepKeys } from '../write/keys/sweep-keys.ts'
import type { FillerParts, WordFiller } from '../write/word-filler.ts'
import type { Writer } from '../write/writer.ts'
import type { Sweep } from './sweeper.ts'

/** The housekeeping of a store. */
export function sweepsOf(
  parts: FillerParts & { readonly writer: Writer },
  clock: Clock,
  log: EventLog,
  filler: WordFiller,
): readonly Sweep[] {
  const everyMinute = (name: string, work: Sweep['work']): Sweep => ({ name, everyMs: minuteMs, work })
  const { store, model } = parts
  const { audit, events, jobs, resources } = model
  const refresh = store.refreshStatistics
  return [
    ...([...resources.values()].some(({ searches }) => searches.length > 0)
      ? [everyMinute('search', (end) => filler.fill(end))]
      : []),
    everyMinute('required', async (end) => {
      await completeRequired(parts, end)
      await completeSums(store, parts.writer, end)
      await recordRefusedCascades(store)
    }),
    everyMinute('keys', (end) => sweepKeys(store, clock, end)),
    ...(refresh ? [everyMinute('statistics', refresh)] : []),
    everyMinute('recorders', () => markSilent(store, clock.now())),
    { name: 'usage', everyMs: hourMs, work: (end) => sweepUsage(store, clock.now(), end) },
    everyMinute('audit', (end) => sweepAudit(store, clock, audit?.keepDays ?? auditKeepDays, end)),
    ...(jobs.size > 0 ? [{ name: 'jobs', everyMs: hourMs, work: () => sweepJobs(store, clock) }] : []),
    ...(events
      ? [
          everyMinute('events', (end) => sweepEvents(store, log, clock, events.keepDays, end)),
          everyMinute('deliveries', async (end) => {
            await sweepDeliveries(store, clock, events.keepDays, end)
            await new EndpointMarks(store).review(clock.now())
          }),
        ]
      : []),
  ]
}
