import type { Model, Version, View, ViewField } from '../../compile/model.ts'
import { plainCounted } from '../../compile/names/plural.ts'
import { kinds } from '../../kinds/kinds.ts'
import { operators } from '../../kinds/operators.ts'
import { exampleShown } from '../example.ts'
import { firstSteps } from './first-steps.ts'
import { type UsualLimits, usualLimits } from './usual-limits.ts'

/** The first page of the reference: how every call works, with the limits of this API. */
export const introduction = (version: Version, model: Model): string =>
  [notice(version), version.description, firstSteps(version, model), ...conventions(version, model)]
    .filter((part) => part !== '')
    .join('\n\n')

const notice = ({ name, deprecated, sunset, successor }: Version): string => {
  const next = successor
    ? ` The successor of ${name} is ${successor.name}: see the [migration guide](/docs/migrations/${name}-to-${successor.name}).`
    : ''
  if (!deprecated) return next.trimStart()
  const until = sunset ? ` It is served at least until ${sunset.date}.` : ''
  return `**${name} is deprecated as of ${deprecated.date}.**${until}${next}`
}

const conventions = (version: Version, model: Model): readonly string[] => {
  const limits = usualLimits(version, model)
  return [
    section('Keys', [
      'Send `Authorization: Bearer <key>` with every call. ' +
        (model.soleAccount === null ? 'A key belongs to an account and sees only its rows; some' : 'Some') +
        ' calls need a scope, which each one names. In samples, `$API` and `api` stand for the address of this service, `$KEY` and `key` for your key.',
      scopesText(model),
    ]),
    section('Answers', [
      'One row comes as `{"data": {…}}`, a list as `{"data": […], "page": {"limit", "has_more", "next_cursor"}}`. A field that is unset is `null`, never absent. Times are RFC 3339 in UTC.',
      'HEAD answers like GET without a body; OPTIONS names the methods of a path.',
      unversionedText(version, model),
    ]),
    section('Bodies', [
      'A body is one JSON object. A field that can be unset may be left out or be `null`. Lengths of strings count characters (code points); a string with a NUL character or a lone surrogate is refused.',
    ]),
    section('Lists', [
      `A page has ${plainCounted(limits.pageDefault, 'row')} unless \`limit\` says otherwise, and ${limits.pageMax} at most. Pass \`next_cursor\` on as \`cursor\`, with the same \`sort\` and \`filter\`, until it is \`null\`. An unknown parameter is refused, never ignored.`,
      filtersText(version),
    ]),
    section('Relations', [
      `\`include\` embeds related rows: at most ${plainCounted(limits.includeRelations, 'relation')} a call, ${limits.includeDepth} deep, ${plainCounted(limits.includeRows, 'row')} of each list, and ${figure(limits.rowsPerRequest)} rows in all.`,
    ]),
    section('Safe retries', [
      `A create with an \`Idempotency-Key\` happens once: a retry within ${plainCounted(limits.idempotencyHours, 'hour')} gets the first response again, with \`Idempotent-Replayed: true\`. \`If-Match\` with the \`ETag\` you saw keeps a change from undoing another.`,
    ]),
    section('Problems', [
      'A call that is refused answers with `application/problem+json` (RFC 9457). Its `type` is the URL of a page that says what happened and how to fix it; `errors` names every wrong field at once. All of them are listed under [Problems](/problems).',
    ]),
    section('Limits', [limitsText(limits, model)]),
  ]
}

/** 1048576 → 1,048,576 */
const figure = (number: number): string => number.toLocaleString('en-US')

const section = (heading: string, paragraphs: readonly string[]): string =>
  [`## ${heading}`, ...paragraphs.filter((text) => text !== '')].join('\n\n')

/** The API's own scopes; those of resources are named after them. */
const scopesText = ({ scopes }: Model): string =>
  scopes.size === 0
    ? ''
    : [
        '| Scope | What it opens |',
        '|---|---|',
        ...[...scopes].map(([scope, opens]) => `| \`${scope}\` | ${opens} |`),
      ].join('\n')

/** How filters are written, with a call of this version as an example. */
const filtersText = (version: Version): string => {
  const calls = [...version.views.values()].flatMap(filteringCall)
  const call = calls.find((one) => one.includes('[gte]')) ?? calls[0]
  if (call === undefined) return ''
  const names = Object.keys(operators).map((name) => `\`${name}\``)
  const either = [...version.views.values()].some((view) => view.eitherOr)
    ? ' Alternatives, of which one must hold, are written `filter[or][0][field]=value&filter[or][1][field]=value`.'
    : ''
  return `\`filter[field]=value\` lists the rows whose field has the value, and \`filter[field][op]=value\` those for which another comparison holds, as in \`${call}\`. The operators are ${names.join(', ')}: \`eq\` need not be written, and \`in\` takes a list separated by commas. Rows must pass all filters.${either} Each list names its fields and their operators.`
}

/** A list of the view's rows with one or two filters: `GET /v2/orders?filter[status]=placed&filter[total][gte]=1250`. */
const filteringCall = (view: View): readonly string[] => {
  const fields = [...view.filters].flatMap((name) => view.field.get(name) ?? [])
  const compared = fields.find(({ kind }) => kinds[kind].sum)
  const equal = fields.find((field) => field !== compared)
  if (!view.topLevel || !equal) return []
  const value = (field: ViewField): string => encodeURIComponent(String(exampleShown(field, view)))
  const more = compared ? `&filter[${compared.name}][gte]=${value(compared)}` : ''
  return [`GET /${view.version.name}/${view.name}?filter[${equal.name}]=${value(equal)}${more}`]
}

const unversionedText = (version: Version, { unversioned }: Model): string =>
  unversioned === version
    ? `Paths without a version are served by ${version.name}, with \`Content-Location\` naming the versioned URL.`
    : ''

const limitsText = (limits: UsualLimits, { rate, soleAccount }: Model): string =>
  [
    '| What | At most |',
    '|---|---|',
    `| Requests${soleAccount === null ? ' per account' : ' of all callers together'} | ${rate.perSecond} a second, ${rate.burst} at once |`,
    `| Body | ${figure(limits.bodyBytes)} bytes, nested ${limits.jsonDepth} deep |`,
    `| Answer | ${figure(limits.responseBytes)} bytes; a larger one is refused |`,
    `| Request line and headers | ${figure(limits.headerBytes)} bytes |`,
    '| Idempotency-Key | 255 characters |',
  ].join('\n')
