import type { Change, ChangeOfKind } from '../../declare/change.ts'
import type { ExampleRow } from '../example.ts'
import { code, newerView, olderField, olderName, olderView, pathRows, queryRows, type Step } from './step.ts'

/** What one change means to a consumer. Everything in it is derived; only `why` was written by a person. */
export interface GuideEntry {
  readonly title: string
  /** What to look for, what to write instead. */
  readonly rows: readonly (readonly [string, string])[]
  readonly note: string
  /** The resource, in the store's name, and the fields (older names, newer names) an example shows; null where no row changes. */
  readonly example: {
    readonly resource: string
    readonly older: readonly string[]
    readonly newer: readonly string[]
    readonly focus: ExampleRow
  } | null
}

type Entries = { readonly [K in Change['kind']]: (change: ChangeOfKind<K>, step: Step) => GuideEntry }

export const entryOf = (change: Change, step: Step): GuideEntry =>
  (entries[change.kind] as (change: Change, step: Step) => GuideEntry)(change, step)

const exampleOf = (
  step: Step,
  resource: string,
  older: readonly string[],
  newer: readonly string[],
  focus: ExampleRow = {},
): GuideEntry['example'] => ({
  resource: newerView(step, resource)?.resource.name ?? resource,
  older,
  newer,
  focus,
})

/** For a change of one field that both versions have. */
const fieldEntry = (
  step: Step,
  resource: string,
  field: string,
  entry: Omit<GuideEntry, 'example'>,
  focus?: ExampleRow,
): GuideEntry => {
  const before = olderField(step, resource, field)?.name ?? field
  return { ...entry, example: exampleOf(step, resource, [before], [field], focus) }
}

const ruleEntry = (title: string, rows: GuideEntry['rows'], note = ''): GuideEntry => ({
  title,
  rows,
  note,
  example: null,
})

const storedName = (step: Step, resource: string, field: string): string =>
  newerView(step, resource)?.field.get(field)?.field?.name ?? field

const entries: Entries = {
  'rename-resource': ({ from, to }, step) => ({
    title: `${code(from)} is now ${code(to)}`,
    rows: pathRows(step, to),
    note: `Ids stay the same. Scopes named ${code(`${from}:…`)} are named ${code(`${to}:…`)}.`,
    example: exampleOf(
      step,
      to,
      olderView(step, to)?.fields.map(({ name }) => name) ?? [],
      newerView(step, to)?.fields.map(({ name }) => name) ?? [],
    ),
  }),
  'rename-field': ({ resource, from, to }, step) =>
    fieldEntry(step, resource, to, {
      title: `${code(`${olderName(step, resource)}.${from}`)} is now ${code(`${resource}.${to}`)}`,
      rows: [[code(from), code(to)], ...queryRows(step, resource, from, to)],
      note: '',
    }),
  'rename-relation': ({ resource, from, to }, step) => {
    const belongs = newerView(step, resource)?.relations.get(to)?.relation.kind === 'belongs-to'
    const rows: [string, string][] = [
      [code(`include=${from}`), code(`include=${to}`)],
      belongs
        ? [code(`${from}_id`), code(`${to}_id`)]
        : [
            code(`/${olderName(step, resource)}/{id}/${from.replaceAll('_', '-')}`),
            code(`/${resource}/{id}/${to.replaceAll('_', '-')}`),
          ],
    ]
    const example = belongs ? exampleOf(step, resource, [`${from}_id`], [`${to}_id`]) : null
    return {
      title: `The relation ${code(from)} of ${code(resource)} is now ${code(to)}`,
      rows,
      note: '',
      example,
    }
  },
  'map-values': ({ resource, field, values, onlyInNewer }, step) => {
    const [first] = Object.values(values).concat(Object.keys(onlyInNewer))
    const stored =
      newerView(step, resource)
        ?.field.get(field)
        ?.values?.up.get(first ?? '') ?? first
    const gained = Object.entries(onlyInNewer).map(
      ([now, old]) => `${code(now)} (until now shown as ${code(old)})`,
    )
    return fieldEntry(
      step,
      resource,
      field,
      {
        title: `Values of ${code(`${resource}.${field}`)} changed`,
        rows: Object.entries(values).map(([old, now]) => [code(old), code(now)]),
        note: gained.length > 0 ? `New values to expect: ${gained.join(', ')}.` : '',
      },
      stored === undefined ? {} : { [storedName(step, resource, field)]: stored },
    )
  },
  'change-type': ({ resource, field, codec }, step) => {
    const before = olderField(step, resource, field)
    const after = newerView(step, resource)?.field.get(field)
    return fieldEntry(step, resource, field, {
      title: `The type of ${code(`${resource}.${field}`)} changed`,
      rows: [[code(before?.kind ?? ''), code(after?.kind ?? '')]],
      note: `The same values, no longer as ${codec.split('-as-')[1]?.replaceAll('-', ' ')}.`,
    })
  },
  'remove-field': ({ resource, field }, step) => ({
    title: `${code(`${olderName(step, resource)}.${field}`)} is gone`,
    rows: [[code(field), 'nothing']],
    note: 'Its values stay stored for as long as the older version is served.',
    example: exampleOf(step, resource, [field], [], { [field]: exampleText(step, resource, field) }),
  }),
  'add-required-field': ({ resource, field, whenAbsent }, step) => ({
    title: `${code(`${resource}.${field}`)} is required`,
    rows: [['not there', code(field)]],
    note: `Until now ${code(JSON.stringify(whenAbsent))} was meant: send that to create what you created so far.`,
    example: exampleOf(step, resource, [], [field], { [storedName(step, resource, field)]: whenAbsent }),
  }),
  'make-required': ({ resource, field, whenAbsent }, step) =>
    fieldEntry(step, resource, field, {
      title: `${code(`${resource}.${field}`)} must now be sent`,
      rows: [['optional', 'required']],
      note: `Where it was left out, ${code(JSON.stringify(whenAbsent))} was stored.`,
    }),
  'remove-include': ({ resource, path }, step) =>
    ruleEntry(`${code(resource)} can no longer include ${code(path)}`, [
      [
        code(`GET /${step.older.name}/${olderName(step, resource)}?include=${path}`),
        'fetch the rows from their own collection',
      ],
    ]),
  'remove-filter': ({ resource, field }, step) =>
    ruleEntry(`${code(resource)} can no longer be filtered by ${code(field)}`, [
      [
        code(`GET /${step.older.name}/${olderName(step, resource)}?filter[${field}]=…`),
        'filter what you get',
      ],
    ]),
  'remove-sort': ({ resource, field }, step) =>
    ruleEntry(`${code(resource)} can no longer be sorted by ${code(field)}`, [
      [code(`GET /${step.older.name}/${olderName(step, resource)}?sort=${field}`), 'sort what you get'],
    ]),
  'change-limit': ({ resource, limit, was }, step) =>
    ruleEntry(`The limit ${code(limit)} of ${code(resource)} changed`, [
      [String(was), String(newerView(step, resource)?.limits[limit] ?? '')],
    ]),
  'require-idempotency-key': ({ resource }, step) =>
    ruleEntry(
      `Creating ${code(resource)} needs an Idempotency-Key`,
      [
        [
          code(`POST /${step.older.name}/${olderName(step, resource)}`),
          code('Idempotency-Key: <a UUID of your own>'),
        ],
      ],
      'Send the same key again when you retry, a new one for each new row.',
    ),
  'require-scope': ({ resource, method, was }, step) =>
    ruleEntry(`${code(`${method} ${resource}`)} needs another scope`, [
      [code(was), code(newerView(step, resource)?.scopes[method] ?? '')],
    ]),
  'remove-method': ({ resource, method }, step) =>
    ruleEntry(`${code(method)} is no longer offered on ${code(resource)}`, [
      [code(`${method} /${step.older.name}/${olderName(step, resource)}`), 'nothing'],
    ]),
  'change-default': ({ resource, field, was }, step) =>
    fieldEntry(step, resource, field, {
      title: `${code(`${resource}.${field}`)} has another default`,
      rows: [
        [
          code(JSON.stringify(was)),
          code(JSON.stringify(newerView(step, resource)?.field.get(field)?.default ?? null)),
        ],
      ],
      note: 'Send the value you mean, and nothing changes for you.',
    }),
  custom: ({ resource, fields, replaces }, step) => ({
    title: `${Object.keys(fields).map(code).join(', ')} of ${code(resource)} became ${replaces.map(code).join(', ')}`,
    rows: [[Object.keys(fields).map(code).join(', '), replaces.map(code).join(', ')]],
    note: '',
    example: exampleOf(step, resource, Object.keys(fields), replaces),
  }),
}

const exampleText = (step: Step, resource: string, field: string): unknown => {
  const kept = olderView(step, resource)?.field.get(field)
  return kept?.schema.type === 'string' && !kept.schema.enum ? `some ${field}` : undefined
}
