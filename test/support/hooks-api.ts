import { api, renameField, renameResource, resource, version } from 'nounkit'
import { z } from 'zod'
import { readRange } from '../../src/webhooks/addresses.ts'
import type { WebhookSettings } from '../../src/webhooks/webhook-settings.ts'
import { receiverCertificate } from './receiver.ts'

const notes = resource('notes', { fields: { text: z.string().max(100), colour: z.string().optional() } })
const plans = resource('plans', { fields: { title: z.string() } })
const drafts = resource('drafts', { fields: { title: z.string() }, events: false })

/** An API with events in two versions: v1 calls notes "memos". */
export const hooksApi = api('hooks', {
  events: { keepDays: 30 },
  limits: { webhookEndpoints: 40 },
  resources: [notes, plans, drafts],
  versions: [
    version('v2', { published: '2026-06-01' }),
    version('v1', {
      published: '2026-01-01',
      changes: [
        renameResource('memos', 'notes', { why: 'A shorter word.' }),
        renameField('notes', 'body', 'text', { why: 'Said by its kind.' }),
      ],
    }),
  ],
})

const loopback = readRange('127.0.0.0/8')

/** Receivers of tests are on loopback. Looks are frequent, so that tests need not wait. */
export const testWebhooks: Partial<WebhookSettings> = {
  allow: loopback ? [loopback] : [],
  delaysMs: [50, 50, 100],
  ca: receiverCertificate,
  lookEveryMs: 50,
}
