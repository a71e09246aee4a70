import { changedResource, kindOf } from '../../compile/change-kinds/change-kinds.ts'
import { olderName, type VersionStep } from '../../compile/change-kinds/step.ts'
import type { Model } from '../../compile/model.ts'
import { withAdditions } from '../../compile/versions/versions.ts'
import { contractOf } from '../contract.ts'
import { dependentSentence } from '../diff/compare-state-rules.ts'
import { compareContracts } from '../diff/diff.ts'
import type { Difference } from '../diff/difference.ts'

/** Differences that belong together, as one line. */
export interface Addition {
  /** The newer name; null for several resources. */
  readonly resource: string | null
  readonly where: string
  readonly what: string
  /** The differences, in the older version's names. */
  readonly differences: readonly Difference[]
}

/**
 * The additions of the newer version, which the frozen contract of the older one hides. They are found by
 * comparing the older version with itself before anything is hidden, so that declared changes play no part.
 */
export const additionsOf = (model: Model, step: VersionStep): readonly Addition[] => {
  const { older, newer } = step
  const hidden = contractOf(model, older)
  const whole = { ...contractOf(model, withAdditions(older, newer)), lifecycle: hidden.lifecycle }
  const described = describedByChanges(step)
  const found = compareContracts(hidden, whole).filter(
    ({ part, where }) => part !== 'words' || !described.has(where),
  )
  const groups = Map.groupBy(found, groupOf(found))
  return [...groups.values()].map((differences) => additionOf(differences, step))
}

/** Fields whose description comes from a schema in a change: a new description is part of that change. */
const describedByChanges = (step: VersionStep): ReadonlySet<string> =>
  new Set(
    step.older.changes.flatMap((change) =>
      kindOf(change)
        .describedFields(change, step)
        .map((field) => `${olderName(step, changedResource(change))}.${field}`),
    ),
  )

/** Groups a field with its filter and sort, a relation with its id and include, and otherwise equal texts. */
const groupOf =
  (found: readonly Difference[]) =>
  (difference: Difference): string => {
    const thing = thingOf(difference, found)
    return thing === null ? difference.what : `${difference.subject.resource}.${thing}`
  }

const thingOf = ({ part, subject: { resource, name } }: Difference, all: readonly Difference[]) => {
  if (resource === undefined || name === undefined) return null
  if (part !== 'field' && part !== 'relation' && part !== 'query') return null
  const [first = name] = name.split('.')
  const relation = all.find(
    (one) =>
      one.part === 'relation' && one.subject.resource === resource && `${one.subject.name}_id` === first,
  )
  return relation?.subject.name ?? first
}

const additionOf = (differences: readonly Difference[], step: VersionStep): Addition => {
  const [first] = differences
  const thing = first ? thingOf(first, differences) : null
  const resources = new Set(
    differences.map(({ subject }) =>
      subject.resource === undefined ? null : newerName(subject.resource, step),
    ),
  )
  const [resource = null] = resources.size === 1 ? resources : []
  if (thing !== null && resource !== null) {
    const what = new Set(differences.toSorted(byPart).map((one) => one.what))
    return { resource, where: `${resource}.${thing}`, what: [...what].join('; '), differences }
  }
  const where = new Set(differences.map((one) => inNewerNames(one.where, step)))
  const dependent = first?.facts?.dependent
  const what = dependent
    ? dependentSentence({ ...dependent, relation: inNewerNames(dependent.relation, step) })
    : (first?.what ?? '')
  return { resource, where: [...where].join(', '), what, differences }
}

const parts = ['relation', 'field', 'query']
const byPart = (one: Difference, other: Difference): number =>
  parts.indexOf(one.part) - parts.indexOf(other.part)

const newerName = (resource: string, { older, newer }: VersionStep): string => {
  const stored = older.views.get(resource)?.resource.name
  return stored === undefined ? resource : (newer.viewOf.get(stored)?.name ?? resource)
}

/** Names of resources alone, or before a field or a relation: `clients`, `clients.email`. Paths stay as the older version has them. */
const inNewerNames = (text: string, step: VersionStep): string =>
  text.replaceAll(/(?<![\w/.-])[a-z][a-z0-9-]*(?=\.[a-z]|$)/g, (name) => newerName(name, step))
