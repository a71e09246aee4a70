import type { MistakeList } from '../mistakes.ts'
import type { Version, View, ViewField } from '../model.ts'
import { sortsAsText } from '../versions/codecs.ts'
import { fewValuesOf } from '../versions/few-values.ts'

/** Code knows the newest version alone: what it cannot give an older one is a mistake. */
export const checkAnsweredVersions = (versions: readonly Version[], mistakes: MistakeList): void => {
  for (const version of versions)
    for (const view of version.viewOf.values()) {
      checkPaths(view, mistakes)
      if (!view.resource.answered || version.head) continue
      checkMethods(view, mistakes)
      checkOfStore(view, mistakes)
      for (const name of view.filters) checkFilter(view, view.field.get(name), mistakes)
      for (const name of view.sorts) checkSort(view, view.field.get(name), mistakes)
    }
}

/** What a version that was published offered while its rows were stored. */
const checkOfStore = ({ name, version, searched, counted, bulk }: View, mistakes: MistakeList): void => {
  const needs = [
    ...(searched.size > 0 ? [`searches ${name}`] : []),
    ...(counted ? [`counts ${name}`] : []),
    ...(bulk ? [`takes lists of ${name}`] : []),
  ]
  if (needs.length > 0)
    mistakes.add(
      `versions.${version.name}`,
      `it ${needs.join(', and ')}, which is answered by code, and only the store does that.`,
      'Keep the rows stored until the version is retired.',
    )
}

/** Filters that lead through such nouns, and includes of those that have no list. */
const checkPaths = (view: View, mistakes: MistakeList): void => {
  const { head, name: version } = view.version
  const add = (option: 'filter' | 'include', path: string, why: string, hint: string) =>
    head
      ? mistakes.add(`${view.name}.${option}`, `"${path}" ${why}`, hint)
      : mistakes.add(`versions.${version}`, `its ${option} "${path}" of ${view.name} ${why}`, hint)
  for (const [path, { steps }] of view.filterOf) {
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

const checkMethods = ({ name, version, methods, resource }: View, mistakes: MistakeList): void => {
  const { create, get, list } = resource.answered ?? {}
  const gone = [
    ...(methods.has('GET') && !get && !list ? ['GET'] : []),
    ...(methods.has('POST') && !create ? ['POST'] : []),
    ...[...methods].filter((method) => method !== 'GET' && method !== 'POST'),
  ]
  if (gone.length > 0)
    mistakes.add(
      `versions.${version.name}`,
      `it offers ${gone.join(' and ')} of ${name}, which is answered by code, and for which there is no function.`,
      'Keep the function in answers until the version is retired.',
    )
}

const checkFilter = (view: View, field: ViewField | undefined, mistakes: MistakeList): void => {
  if (field && ((field.codec && !fewValuesOf(field)) || field.made))
    refuse(view, field, 'filters', 'Filter', mistakes)
}

const checkSort = (view: View, field: ViewField | undefined, mistakes: MistakeList): void => {
  if (field && (sortsAsText(field) || field.values || field.made))
    refuse(view, field, 'sorts', 'Sort', mistakes)
}

/** The code gets today's values: what an older version compares or sorts by in another form is not in their terms. */
const refuse = (
  { name, version }: View,
  field: ViewField,
  does: string,
  change: 'Filter' | 'Sort',
  mistakes: MistakeList,
): void =>
  void mistakes.add(
    `versions.${version.name}`,
    `it ${does} ${name} by "${field.name}", whose values it shows in another form, and code that answers gets those of the newest version.`,
    `Keep the form of the field while the version is served, or offer no ${change.toLowerCase()} by it.`,
  )
