import { changedResource, kindOf } from '../../compile/change-kinds/change-kinds.ts'
import type { GuideEntry } from '../../compile/change-kinds/guide-entry.ts'
import { stepsBetween, type VersionStep } from '../../compile/change-kinds/step.ts'
import type { Version, View, ViewField } from '../../compile/model.ts'
import { collectionPaths, rowPath } from '../../compile/names/collection-paths.ts'
import type { Change } from '../../declare/change.ts'
import { exampleRow, showRow } from '../example.ts'
import { type JudgedChange, judgeChanges } from '../judge-changes.ts'

export interface GuideOptions {
  /** The names of consumers that still use the older side of a change, from recorded usage. */
  affected?(change: Change, version: Version): readonly string[]
}

/** How to move from one version to a newer one, as Markdown: a section for each version on the way, an entry for each change. */
export const guideOf = (from: Version, to: Version, options: GuideOptions = {}): string => {
  const steps = stepsBetween(from, to)
  const sections = steps.map((step) => stepSection(step, steps.length > 1, options))
  return `# Moving from ${from.name} to ${to.name}\n\n${datesOf(from)}\n\n${sections.join('\n\n')}\n`
}

const datesOf = ({ name, deprecated, sunset }: Version): string => {
  if (!deprecated) return `${name} is not deprecated.`
  const end = sunset ? ` and is served at least until ${sunset.date}` : ''
  return `${name} is deprecated as of ${deprecated.date}${end}. Every row keeps its id, and both versions work on the same data, so you can move one call at a time.`
}

const stepSection = (step: VersionStep, several: boolean, options: GuideOptions): string => {
  const judged = judgeChanges(step.older)
  const level = several ? '###' : '##'
  const entries = judged.map((one, index) => entryText(one, index + 1, step, level, options))
  const heading = several ? [`## From ${step.older.name} to ${step.newer.name}`] : []
  const additions = additionsText(step, level)
  return [...heading, ...entries, ...(additions === null ? [] : [additions])].join('\n\n')
}

const entryText = (
  { change, verdict, loss }: JudgedChange,
  number: number,
  step: VersionStep,
  level: string,
  options: GuideOptions,
): string => {
  const entry = kindOf(change).guideEntry(change, step)
  const affected = options.affected?.(change, step.older) ?? []
  return [
    `${level} ${number}. ${entry.title}`,
    ...(change.why ? [change.why] : []),
    ...rowsText(entry, step),
    ...(entry.note === '' ? [] : [entry.note]),
    ...exampleText(entry, step),
    `*${verdict === 'breaking' ? 'Breaking' : 'Additive'}; ${lossWords[loss]}.*`,
    ...(affected.length > 0 ? [`Still in use by: ${affected.join(', ')}.`] : []),
  ].join('\n\n')
}

/** What became of what, side by side. Values that only the newer version has stand in the note alone. */
const rowsText = ({ rows }: GuideEntry, { older, newer }: VersionStep): readonly string[] =>
  rows.length === 0
    ? []
    : [
        `| ${older.name} | ${newer.name} |\n|---|---|\n${rows.map(([old, now]) => `| ${old} | ${now} |`).join('\n')}`,
      ]

const lossWords: { readonly [L in JudgedChange['loss']]: string } = {
  'two-way': 'both versions read and write the same data',
  keeps: 'what one version cannot see stays stored',
  loses: 'the older version cannot tell everything apart',
}

/** One stored row as each of the two versions shows it. */
const exampleText = ({ example }: GuideEntry, { older, newer }: VersionStep): readonly string[] => {
  const [before, after] = [older, newer].map((version) => version.viewOf.get(example?.resource ?? ''))
  if (!example || !before || !after) return []
  const row = exampleRow(before.resource, example.focus)
  const pick = (shown: object, names: readonly string[]) =>
    Object.fromEntries(Object.entries(shown).filter(([name]) => name === 'id' || names.includes(name)))
  const block = (view: View, data: object) =>
    `\`GET /${view.version.name}${rowPath(collectionPaths(view)[0] ?? `/${view.name}`)}\`\n\n\`\`\`json\n${JSON.stringify({ data }, null, 2)}\n\`\`\``
  return [
    block(before, pick(showRow(before, row), example.older)),
    block(after, pick(showRow(after, row), example.newer)),
  ]
}

/** The additions of the newer version. The older one hides them, so consumers need not act. */
const additionsText = ({ older, newer }: VersionStep, level: string): string | null => {
  const changed = new Set(older.changes.flatMap(newerFields))
  const lines: string[] = []
  for (const view of newer.views.values()) {
    const before = older.viewOf.get(view.resource.name)
    if (!before) {
      lines.push(`- the resource \`${view.name}\``)
      continue
    }
    // Types of events and audited resources follow from resources, which are compared themselves.
    if (view.serves === 'events' || view.serves === 'audit') continue
    const known = new Set<unknown>([
      ...storedFields(before).map(({ field }) => field),
      ...[...before.relations.values()].map(({ relation }) => relation),
    ])
    const fields = storedFields(view).filter(
      ({ field, name }) => !known.has(field) && !changed.has(`${(view.totals?.of() ?? view).name}.${name}`),
    )
    const relations = [...view.relations.values()].filter(({ relation }) => !known.has(relation))
    lines.push(...fields.map(({ name }) => `- the field \`${view.name}.${name}\``))
    lines.push(...relations.map(({ name }) => `- the relation \`${view.name}.${name}\``))
  }
  if (lines.length === 0) return null
  return `${level} Also new in ${newer.name}\n\nNothing to do; there when you want it.\n\n${lines.join('\n')}`
}

/** The stored fields of a view. Totals have those that they count by and add up, which they name as their rows do. */
const storedFields = ({ totals, fields }: View): readonly ViewField[] =>
  totals ? [...totals.by.values(), ...totals.sums.values()] : fields

const newerFields = (change: Change): readonly string[] =>
  kindOf(change)
    .newerFields(change)
    .map((name) => `${changedResource(change)}.${name}`)
