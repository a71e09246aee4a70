import { ruleKinds } from '../../declare/rule.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Version, View, ViewField } from '../model.ts'
import { operandsOf } from '../rules/checked-rule.ts'
import { sortsAsText } from '../versions/codecs.ts'
import { fewValuesOf } from '../versions/few-values.ts'
import type { Drafts } from './resource-draft.ts'

/** Rules are judged by the database, which has no rows of nouns that are answered by code. */
export const checkAnsweredRules = (drafts: Drafts, mistakes: MistakeList): void => {
  for (const { model } of drafts.values())
    for (const kind of ruleKinds) {
      const rule = model.rules[kind]
      for (const operand of rule ? operandsOf(rule.root) : []) {
        const steps = operand.kind === 'field' ? operand.path : []
        const step = steps.find(({ target }) => drafts.get(target.name)?.model.answered)
        if (!step) continue
        mistakes.add(
          `${model.name}.rules.${kind}`,
          `"${step.name}" leads to ${step.target.name}, whose rows are answered by code, and a rule only reads stored ones.`,
          'Ask for a field of the row itself.',
        )
      }
    }
}

/** Code knows the newest version alone: what it cannot give an older one is a mistake. */
export const checkAnsweredVersions = (versions: readonly Version[], mistakes: MistakeList): void => {
  for (const version of versions)
    for (const view of version.viewOf.values()) {
      checkPaths(view, mistakes)
      if (!view.resource.answered) continue
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

/** Filters through relations, and includes, that the newest version does not have. */
const checkPaths = (view: View, mistakes: MistakeList): void => {
  const add = (what: string, hint: string) => mistakes.add(`versions.${view.version.name}`, what, hint)
  for (const [path, { steps }] of view.filterOf) {
    const passed = steps.length > 0 ? [view, ...steps.map(({ target }) => target())] : []
    const answered = passed.find(({ resource }) => resource.answered)
    if (answered)
      add(
        `it filters ${view.name} by "${path}" through relations, which only the store follows, and rows of ${answered.name} are answered by code.`,
        'Offer no such filter while the version is served.',
      )
  }
  for (const path of view.includePaths) {
    const last = path
      .split('.')
      .reduce<View | undefined>((here, step) => here?.relations.get(step)?.target(), view)
    if (last?.resource.answered && !last.resource.answered.list)
      add(
        `it includes "${path}" in ${view.name}: ${last.name} has no list among its answers, and rows are included by it.`,
        `Write list into the answers of ${last.name} until the version is retired.`,
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
