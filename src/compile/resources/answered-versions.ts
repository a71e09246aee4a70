import type { MistakeList, Note } from '../mistakes.ts'
import type { AnsweredModel, Version, View, ViewField } from '../model.ts'
import { sortsAsText } from '../versions/codecs.ts'
import { fewValuesOf } from '../versions/few-values.ts'

/** Code knows the newest version alone: what it cannot give an older one is a mistake. */
export const checkAnsweredVersions = (versions: readonly Version[], mistakes: MistakeList): void => {
  for (const version of versions)
    for (const view of version.viewOf.values()) {
      checkPaths(view, mistakes)
      if (view.resource.answered && !version.head)
        checkPublished(view, view.resource.answered, mistakes.at(`versions.${version.name}`))
    }
}

/** What the version was published with, perhaps while the rows were stored. */
const checkPublished = (view: View, { create, get, list }: AnsweredModel, note: Note): void => {
  const { name, methods, searched, counted, bulk } = view
  const given = new Set<string>([...(get || list ? ['GET'] : []), ...(create ? ['POST'] : [])])
  const gone = [...methods].filter((method) => !given.has(method))
  if (gone.length > 0)
    note(
      `it offers ${gone.join(' and ')} of ${name}, which is answered by code, and for which there is no function.`,
      'Keep the function in answers until the version is retired.',
    )
  const ofStore = [
    ...(searched.size > 0 ? [`searches ${name}`] : []),
    ...(counted ? [`counts ${name}`] : []),
    ...(bulk ? [`takes lists of ${name}`] : []),
  ]
  if (ofStore.length > 0)
    note(
      `it ${ofStore.join(', and ')}, which is answered by code, and only the store does that.`,
      'Keep the rows stored until the version is retired.',
    )
  // The code gets today's values: what an older version compares or sorts by in another form is not in their terms.
  const compared = [
    ...inOtherForm(view, view.filters, (field) => field.codec !== null && !fewValuesOf(field)).map(
      (field) => `filters ${name} by "${field}"`,
    ),
    ...inOtherForm(view, view.sorts, (field) => sortsAsText(field) || field.values !== null).map(
      (field) => `sorts ${name} by "${field}"`,
    ),
  ]
  for (const what of compared)
    note(
      `it ${what}, whose values it shows in another form, and code that answers gets those of the newest version.`,
      'Keep the form of the field while the version is served, or do not offer that.',
    )
}

/** Which of the names are fields that the version makes by code, or shows in another form. */
const inOtherForm = (
  { field }: View,
  names: Iterable<string>,
  isOther: (field: ViewField) => boolean,
): readonly string[] =>
  [...names].filter((name) => {
    const one = field.get(name)
    return one !== undefined && (one.made !== null || isOther(one))
  })

/** Filters that lead through such nouns, and includes of those that have no list. */
const checkPaths = (view: View, mistakes: MistakeList): void => {
  const { head, name: version } = view.version
  const add = (option: 'filter' | 'include', path: string, why: string, hint: string) =>
    head
      ? mistakes.add(`${view.name}.${option}`, `"${path}" ${why}`, hint)
      : mistakes.add(`versions.${version}`, `its ${option} "${path}" of ${view.name} ${why}`, hint)
  // The filters of totals are those of the rows that they count.
  for (const [path, { steps }] of view.totals ? [] : view.filterOf) {
    const passed = steps.length > 0 ? [view, ...steps.map(({ target }) => target())] : []
    const answered = passed.find(({ resource }) => resource.answered)
    if (answered)
      add(
        'filter',
        path,
        `leads through relations, which only the store follows, and rows of ${answered.name} are answered by code.`,
        'Offer no such filter.',
      )
  }
  for (const path of view.includePaths) {
    const last = path
      .split('.')
      .reduce<View | undefined>((here, step) => here?.relations.get(step)?.target(), view)
    if (last?.resource.answered && !last.resource.answered.list)
      add(
        'include',
        path,
        `leads to ${last.name}, which has no list among its answers, and rows are included by it.`,
        `Write list into the answers of ${last.name}, or offer no such include.`,
      )
  }
}
