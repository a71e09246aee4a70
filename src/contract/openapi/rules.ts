import type { Resource, SubCollection, View } from '../../compile/model.ts'
import type { Method } from '../../declare/resource.ts'
import { words } from './names.ts'

/** What an operation asks and promises beyond its schemas, in sentences. */
export const rulesText = (view: View, method: Method, scope: string, sub: SubCollection | null): string =>
  [...methodRules(view, method), ...ownerRule(view, sub), scopeRule(scope)].join(' ')

const methodRules = (view: View, method: Method): string[] => {
  switch (method) {
    case 'GET':
      return view.description === '' ? [`Reads ${words(view.name)}.`] : [view.description]
    case 'POST':
      return [...keyRule(view), ...whileRules(view, 'created'), ...uniqueRules(view)]
    case 'PUT':
      return [
        'Replaces the whole row: an optional field that is left out returns to its default, a state stays. What GET returned can be sent back.',
        ...changeRules(view),
      ]
    case 'PATCH':
      return [
        'Changes what is sent and keeps the rest; sent twice, it does the same as once.',
        ...changeRules(view),
      ]
    case 'DELETE':
      return [...deleteRules(view), ...matchRule(view)]
  }
}

const changeRules = (view: View): string[] => [
  ...whileRules(view, 'changed'),
  ...uniqueRules(view),
  ...matchRule(view),
]

const keyRule = ({ idempotency }: View): string[] => {
  if (idempotency.mode === 'off') return ['An Idempotency-Key is not looked at here.']
  if (idempotency.mode === 'required')
    return ['Needs an Idempotency-Key, so that a retry creates nothing twice.']
  return ['With an Idempotency-Key a retry creates nothing twice.']
}

const matchRule = (view: View): string[] =>
  view.requireIfMatch ? ['Needs If-Match with the ETag of the version you saw.'] : []

const whileRules = (view: View, verb: string): string[] =>
  view.resource.onlyWhile.map(({ relation, field, values }) => {
    const name = view.relations.values().find((one) => one.relation === relation)?.name ?? relation.name
    return `Rows are ${verb} only while \`${words(name)}.${shownField(view, relation.target, field)}\` is ${either(shownValues(view, relation.target, field, values))}.`
  })

const deleteRules = (view: View): string[] => {
  const { resource } = view
  const own = resource.deleteOnlyWhile.map(
    ({ field, values }) =>
      `Rows are deleted only while \`${shownField(view, resource, field)}\` is ${either(shownValues(view, resource, field, values))}.`,
  )
  const names = (onDelete: 'refuse' | 'cascade'): string[] => {
    const some = resource.dependents.filter((one) => one.onDelete === onDelete)
    return [
      ...new Set(some.map(({ relation }) => viewName(view, relation.source)).filter((name) => name !== null)),
    ]
  }
  const [blocking, going] = [names('refuse'), names('cascade')]
  return [
    ...own,
    ...whileRules(view, 'deleted'),
    ...(blocking.length > 0 ? [`Refused while rows of ${blocking.join(' or ')} point to it.`] : []),
    ...(going.length > 0 ? [`Its rows of ${going.join(' and ')} are deleted along.`] : []),
    ...(own.length + blocking.length + going.length === 0 ? ['Deletes the row for good.'] : []),
  ]
}

const uniqueRules = (view: View): string[] => {
  const shown = new Map(view.fields.map((field) => [field.field?.name, field.name]))
  return view.resource.uniques
    .map((set) => set.map((name) => shown.get(name)))
    .filter((set) => set.every((name) => name !== undefined))
    .map((set) => `No two rows share ${set.map((name) => `\`${name}\``).join(' and ')}.`)
}

const ownerRule = (view: View, sub: SubCollection | null): string[] => {
  if (!sub || view.topLevel) return []
  return [`Rows live under ${words(sub.owner().name)} only.`]
}

const scopeRule = (scope: string): string => {
  if (scope === 'public') return 'Needs no key.'
  return scope === 'authenticated' ? 'Needs a key of any account.' : `Needs the scope \`${scope}\`.`
}

const viewName = (view: View, resource: Resource): string | null =>
  view.version.viewOf.get(resource.name)?.name ?? null

const fieldIn = (view: View, resource: Resource, field: string) =>
  view.version.viewOf.get(resource.name)?.fields.find((one) => one.field?.name === field)

const shownField = (view: View, resource: Resource, field: string): string =>
  fieldIn(view, resource, field)?.name ?? 'state'

const shownValues = (view: View, resource: Resource, field: string, values: readonly string[]): string[] => {
  const map = fieldIn(view, resource, field)?.values
  return [...new Set(values.map((value) => map?.down.get(value) ?? value))]
}

const either = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(' or ')
