import type { RenameResource } from '../../declare/change.ts'
import type { Method, ScopeRule } from '../../declare/resource.ts'
import { type DraftView, withView } from '../changes/view-draft.ts'
import type { Version } from '../model.ts'
import { collectionPaths } from '../names/collection-paths.ts'
import { hyphenated } from '../names/name-rules.ts'
import { textShape } from '../shape/shapes.ts'
import { kindsOfEvents } from '../versions/events-view.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { exampleOf, inCode } from './guide-entry.ts'
import { namedWell } from './new-names.ts'
import { newerView, olderView, type VersionStep } from './step.ts'

export const renameResource: ChangeKind<RenameResource> = {
  ...usualChange,
  parameters: ['from', 'to'],
  options: {
    form: "renameResource('old-names', 'new-names')",
    needs: { from: textShape, to: textShape },
  },
  phase: 3,
  takeBack(draft, { from, to }, report) {
    if (!report.view(to) || !namedWell(from, 'hyphens', report)) return null
    if (!report.claim(to)) return null
    const renamed = withView(draft, to, (view) => ({ ...view, name: from }))
    return new Map([...renamed].map(([key, view]) => [key, { ...view, scopes: scopesNamed(view, from, to) }]))
  },
  changesNothing: ({ from, to }) => from === to,
  line: ({ from, to }) => ({ where: `${from} → ${to}`, what: 'renamed' }),
  guideEntry: ({ from, to }, step) => ({
    title: `${inCode(from)} is now ${inCode(to)}`,
    rows: pathRows(step, to),
    note: `Ids stay the same. Scopes named ${inCode(`${from}:…`)} are named ${inCode(`${to}:…`)}.`,
    example: exampleOf(
      step,
      to,
      olderView(step, to)?.fields.map(({ name }) => name) ?? [],
      newerView(step, to)?.fields.map(({ name }) => name) ?? [],
    ),
  }),
  stored: ({ from, to }) => ({ kind: 'table-renamed', from, to }),
  usage: ({ from }) => ({
    operation: (_, template) => (template.split('/')[1] === from ? `calls \`/${from}\`` : null),
  }),
}

/** Scopes are named after resources: `customers:read` was `clients:read`. */
const scopesNamed = ({ scopes }: DraftView, from: string, to: string): DraftView['scopes'] => {
  const named = (rule: ScopeRule): ScopeRule =>
    rule.startsWith(`${to}:`) ? `${from}:${rule.slice(to.length + 1)}` : rule
  const entries = Object.entries(scopes).map(([method, rule]) => [method, named(rule)])
  return Object.fromEntries(entries) as { readonly [M in Method]: ScopeRule }
}

/** Every path with the resource's name in it (its own, and what lies below it), and the types of its events. */
const pathRows = (step: VersionStep, resource: string): readonly (readonly [string, string])[] => {
  const [before, after] = [olderView(step, resource), newerView(step, resource)]
  if (!before || !after) return []
  const path = (version: Version, ...segments: string[]) =>
    inCode(`/${[version.name, ...segments].join('/')}`)
  const [old, now] = [collectionPaths(before)[0], collectionPaths(after)[0]]
  const rows: [string, string][] =
    old && now ? [[inCode(`/${step.older.name}${old}`), inCode(`/${step.newer.name}${now}`)]] : []
  for (const { name, relation } of before.relations.values()) {
    const now = [...after.relations.values()].find((one) => one.relation === relation)
    if (!now || relation.kind !== 'has-many') continue
    rows.push([
      path(step.older, before.name, '{id}', hyphenated(name)),
      path(step.newer, after.name, '{id}', hyphenated(now.name)),
    ])
  }
  if (before.events && after.events)
    for (const kind of kindsOfEvents)
      rows.push([inCode(`${before.name}.${kind}`), inCode(`${after.name}.${kind}`)])
  return rows
}
