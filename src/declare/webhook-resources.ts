import { z } from 'zod'
import { immutable, open, readOnly } from './field.ts'
import { belongsTo, hasMany } from './relation.ts'
import { type EngineMade, resource } from './resource.ts'

/** The names of the engine's own resources, and of their tables. */
export const webhookNames = {
  endpoints: 'webhook-endpoints',
  secrets: 'webhook-secrets',
  deliveries: 'webhook-deliveries',
} as const

const made = <D extends object>(declared: D, engineMade: EngineMade): D =>
  Object.freeze({ ...declared, engineMade })

const longestUrl = 2_048
const longestDescription = 500
const mostTypes = 200

const endpoints = made(
  resource(webhookNames.endpoints, {
    description:
      'Where events are sent to, as they happen. An endpoint belongs to the subject of the caller who made it, and to the account where that caller had none. It is told what its owner may read.',
    fields: {
      url: z
        .string()
        .max(longestUrl)
        .describe('An https: URL. Each event is sent to it by POST.')
        .meta({ examples: ['https://example.com/events'] }),
      event_types: z
        .array(z.string().max(200))
        .min(1)
        .max(mostTypes)
        .describe('The types of events to send, or `["*"]` for all, in the words of the `version`.')
        .meta({ examples: [['*']] }),
      description: z.string().max(longestDescription).optional().describe('A note for people.'),
      active: z.boolean().default(true).describe('Whether events are sent.'),
      version: readOnly(z.string()).describe(
        'The version that the endpoint was created in: its events are told as this version tells them.',
      ),
      disabled_reason: readOnly(
        open(z.enum(['gone', 'failing', 'version-retired', 'key-ended']).nullable()),
      ).describe(
        'Why the service itself set `active` to false: the URL answered 410 (`gone`), or with nothing but failures for five days (`failing`), or the version was retired, or the API key that the endpoint rests on was revoked or has expired (`key-ended`).',
      ),
      owner: readOnly(
        z
          .object({
            consumer: z.string().describe('The program whose credentials the endpoint rests on.'),
            subject: z.string().nullable().describe('`null` where the account itself is the owner.'),
          })
          .nullable(),
      ).describe('Whose it is: events are sent that the owner may read. `null` where it is not known.'),
      secret: readOnly(z.string().nullable()).describe(
        'The key of the signatures. Only the answer to the create shows it; it is `null` ever after.',
      ),
    },
    relations: {
      secrets: hasMany(webhookNames.secrets),
      deliveries: hasMany(webhookNames.deliveries),
    },
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    filter: ['active'],
    problems: {
      'too-many-webhook-endpoints': {
        status: 409,
        title: 'The account has as many webhook endpoints as it may have',
        description: 'An account may have a limited number of webhook endpoints, active or not.',
        fix: 'Delete an endpoint that is no longer needed, or let one endpoint receive several types of events.',
      },
    },
  }),
  {
    columns: { version: 'api_version' },
    hidden: {
      // The position in the account's events up to which deliveries have been made.
      position: 'integer',
      failing_since: 'integer',
      // The owner with the scopes and claims of its last write, as JSON: they decide what the endpoint is told.
      told_to: 'string',
      // The same owner, for statements: the id of a key, or `token:` and a client.
      owner_consumer: 'string',
      owner_subject: 'string',
    },
    ownedBy: 'owner_subject',
  },
)

/** What belongs to an endpoint needs the scopes of endpoints. */
const scopes = { read: `${webhookNames.endpoints}:read`, write: `${webhookNames.endpoints}:write` }

const endpoint = belongsTo(webhookNames.endpoints, { onTargetDelete: 'cascade' })

const secrets = made(
  resource(webhookNames.secrets, {
    description:
      'The keys that sign what is sent to an endpoint. A new one replaces the old one, which signs along for 24 hours.',
    fields: {
      expires_at: readOnly(z.iso.datetime().nullable()).describe(
        'When it stops signing; `null` for the newest one.',
      ),
      secret: readOnly(z.string().nullable()).describe(
        'The key. Only the answer to the create shows it; it is `null` ever after.',
      ),
    },
    relations: { endpoint },
    owner: 'endpoint',
    methods: ['GET', 'POST'],
    scopes,
  }),
  {
    newestFirst: true,
    // The key, encrypted.
    hidden: { sealed: 'string' },
  },
)

const deliveries = made(
  resource(webhookNames.deliveries, {
    description: 'An event on its way to an endpoint.',
    fields: {
      event_id: immutable(z.string().max(100)).describe('The event. A POST sends an earlier one again.'),
      type: readOnly(z.string()).describe('The type of the event.'),
      status: readOnly(z.enum(['pending', 'delivered', 'failed']).default('pending')).describe(
        '`pending` until a call was answered with 2xx (`delivered`), or all attempts have failed.',
      ),
      attempts: readOnly(z.int().default(0)).describe('How many calls were made.'),
      next_attempt_at: readOnly(z.iso.datetime().nullable()).describe('When the next call is due.'),
      last_status_code: readOnly(z.int().nullable()).describe('The status of the last answer.'),
      last_error: readOnly(z.string().nullable()).describe('Why the last call failed.'),
    },
    relations: { endpoint },
    owner: 'endpoint',
    methods: ['GET', 'POST'],
    filter: ['status', 'event_id'],
    scopes,
    problems: {
      'webhook-endpoint-inactive': {
        status: 409,
        title: 'The webhook endpoint is not active',
        description: 'Nothing is sent to an endpoint that is not active.',
        fix: 'Set `active` of the endpoint to true first.',
      },
    },
  }),
  { newestFirst: true },
)

/** What an API with events has besides: resources like all others, except that the engine's own code runs around their writes. */
export const webhookResources = [endpoints, secrets, deliveries] as const
